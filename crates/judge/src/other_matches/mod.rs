//! What happens if wildcard receives match other messages (`docs/decisions/0032-other-matches.md`).
//!
//! A message that could have arrived first, but did not, is a choice of the MPI library. Each such choice is replayed: processes
//! do what they did, until they receive something else than in the run. A problem that exists by then, whatever they do next, can
//! happen, so it is certain.

mod log;
mod playback;
mod search;

use std::collections::BTreeSet;

use mpiscope_abi::name;

pub(crate) use log::{Act, Call, Log, NONE, Until};
use playback::{Play, Stage};
use search::{End, Search};

use crate::Confidence;
use crate::deadlock::Beyond;
use crate::judge::Judge;
use crate::report::{CallRef, Draft};
use crate::signature::Compared;

/// Most findings of this kind.
const MOST_FOUND: usize = 64;
/// Most waits, and messages, that a text lists.
const MOST_REPORTED: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Deadlock,
    Truncated,
    Datatype,
}

/// The result of another match.
struct OtherOutcome {
    kind: Kind,
    /// Receives and their messages, in order.
    choices: Vec<(u32, u32)>,
    /// Processes that wait forever: the call, and what it waits for.
    stuck: Vec<(u32, Call, String)>,
    /// A receive and a message that does not fit it.
    pair: Option<(u32, u32)>,
}

impl Judge {
    /// At the end of all processes: replays what could have happened otherwise.
    pub(crate) fn play_others(&mut self, beyond: &mut dyn Beyond) {
        let log = std::mem::take(&mut self.others);
        self.unplayed = log.is_missed();
        // After what went wrong nothing is as it would have been.
        let is_over = self.processes.iter().all(|p| p.is_finalizing || p.threads.is_empty());
        let is_clean = !self.sink.deadlock && !self.sink.mismatch && !self.sink.lossy && !self.messages.has_uncertain();
        if log.is_off || !log.has_wild || !is_over || !is_clean || self.follows_no_more {
            return;
        }
        let mut stage = Stage::new(&log, &self.collectives, &self.kinds);
        let mut first = Play::new(&stage);
        let several = self.processes.iter().enumerate().filter(|(_, process)| process.has_several());
        several.for_each(|(process, _)| first.release(process as u32));
        // The run itself: if that cannot be played, nothing is.
        let mut plain = first.clone();
        let mut never_alike = |_: u32, _: &[(u32, u64)], _: &[u32], _: u32| false;
        loop {
            plain.run(&mut stage, &mut never_alike);
            let open = plain.open(&stage);
            let Some(&kept) = open.iter().find(|&&(r, m)| log.posted[r as usize].took == m) else { break };
            plain.choose(kept, &stage);
        }
        if !plain.is_the_run(&stage) {
            return;
        }
        let mut alike = |process: u32, calls: &[(u32, u64)], through: &[u32], next: u32| {
            beyond.is_alike(process, calls, through, next)
        };
        let mut found: Vec<OtherOutcome> = Vec::new();
        let mut reported: BTreeSet<(Kind, Vec<u64>)> = BTreeSet::new();
        let signatures = &mut self.objects.signatures;
        let sites = |places: &[CallRef]| places.iter().flat_map(|p| [p.key, p.function.into()]).collect::<Vec<u64>>();
        let mut look = |play: &Play, stage: &Stage<'_>, end: End| {
            let (posted, sent) = (|r: u32| &log.posted[r as usize], |m: u32| &log.sent[m as usize]);
            let mut new = |kind: Kind, places: &[CallRef], pair, stuck: Vec<_>| {
                if found.len() < MOST_FOUND && reported.insert((kind, sites(places))) {
                    found.push(OtherOutcome { kind, choices: play.choices.clone(), stuck, pair });
                }
            };
            match end {
                End::Pair(r, m) => {
                    let (Some(data), Some(room)) = (sent(m).data, posted(r).data) else { return false };
                    let kind = match signatures.compare(data, room) {
                        _ if data.bytes > room.bytes => Kind::Truncated,
                        Compared::Different { .. } => Kind::Datatype,
                        _ => return false,
                    };
                    new(kind, &[posted(r).place, sent(m).place], Some((r, m)), Vec::new());
                    true
                }
                End::Over => {
                    let stuck = play.stuck(stage);
                    let Some(&(r, m)) = play.choices.first() else { return false };
                    if stuck.is_empty() {
                        return false;
                    }
                    let waits = stuck.iter().filter_map(|&process| {
                        let (act, call, unmet) = play.awaited(process, stage)?;
                        Some((process, call, awaited(&log, act, &unmet)))
                    });
                    new(Kind::Deadlock, &[posted(r).place, sent(m).place], None, waits.collect());
                    false
                }
            }
        };
        let has_singles = Search::new(&mut stage, &mut alike, &mut look).all(&first);
        self.unplayed |= !has_singles;
        for one in found {
            self.report_other(&log, &one);
        }
    }

    fn report_other(&mut self, log: &Log, found: &OtherOutcome) {
        let (posted, sent) = (|r: u32| &log.posted[r as usize], |m: u32| &log.sent[m as usize]);
        let takes = |&(r, m): &(u32, u32)| {
            let (receive, message) = (posted(r), sent(m));
            format!(
                "rank {}'s {} receives the message that rank {} sends with tag {} ({})",
                receive.by,
                name(receive.place.function.into()),
                message.from,
                message.tag,
                name(message.place.function.into())
            )
        };
        let reported: Vec<String> = found.choices.iter().take(MOST_REPORTED).map(takes).collect();
        let more = found.choices.len().saturating_sub(MOST_REPORTED);
        let more = if more > 0 { format!(" and {more} more receives match differently") } else { String::new() };
        let chance = format!("This run succeeded, but if {}{more}", reported.join(" and "));
        let data = |judge: &Judge, data: Option<crate::signature::Signature>| {
            data.map_or("data".to_owned(), |data| judge.objects.signatures.describe(data))
        };
        let (rule, text) = match found.kind {
            Kind::Deadlock => {
                let waits = found.stuck.iter().take(MOST_REPORTED);
                let waits: Vec<String> =
                    waits.map(|(process, _, what)| format!("rank {process} waits forever {what}")).collect();
                let more = found.stuck.len().saturating_sub(MOST_REPORTED);
                let more = if more > 0 { format!(", and {more} more ranks wait") } else { String::new() };
                ("race.deadlock", format!("{chance}, {}{more}.", waits.join(" and ")))
            }
            Kind::Truncated | Kind::Datatype => {
                let Some((r, m)) = found.pair else { return };
                let rule = if found.kind == Kind::Truncated { "race.truncated" } else { "race.datatype" };
                let (sent, room) = (data(self, sent(m).data), data(self, posted(r).data));
                (rule, format!("{chance}, the message is {sent}, but the receive expects {room}."))
            }
        };
        let mut draft = Draft::new(rule).text(text);
        if log.has_memory {
            draft = draft.at_most(Confidence::Possible);
        }
        for &(r, m) in &found.choices {
            draft.add(posted(r).place, None, "receives from any source");
            draft.add(sent(m).place, None, "may arrive first");
        }
        if let Some((r, m)) = found.pair
            && !found.choices.contains(&(r, m))
        {
            draft.add(posted(r).place, None, "receives");
            draft.add(sent(m).place, None, "sends");
        }
        for (process, call, _) in &found.stuck {
            let key = self.objects.site_key(*process, call.site);
            let place = CallRef { process: *process, function: call.function, site: call.site, at: call.at, key };
            draft.add(place, None, "would wait");
        }
        self.sink.add(draft);
    }

    /// Not all other matches were replayed, although the program has wildcard receives.
    pub fn has_unplayed(&self) -> bool {
        self.unplayed
    }
}

/// What a process would wait for, as text.
fn awaited(log: &Log, act: &Act, unmet: &[Until]) -> String {
    let one = |until: &Until| match until {
        Until::Sent(m) => format!("until rank {} receives its message", log.sent[*m as usize].to),
        Until::Received(r) => {
            let posted = &log.posted[*r as usize];
            let source = posted.source.map_or("any rank".to_owned(), |s| format!("rank {s}"));
            let tag = posted.tag.map_or("any tag".to_owned(), |tag| format!("tag {tag}"));
            format!("for a message from {source} with {tag} ({})", name(posted.place.function.into()))
        }
        Until::Met(joined) => format!("for other processes in {}", name(joined.function.into())),
    };
    match (act, unmet.first()) {
        (Act::Found { source, tag, .. }, _) => format!("to probe a message from rank {source} with tag {tag}"),
        (_, Some(first)) => one(first),
        _ => "for other processes".to_owned(),
    }
}
