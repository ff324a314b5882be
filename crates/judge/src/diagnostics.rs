//! Findings about messages and deadlocks: their texts and parties.

use std::hash::Hash;

use mpiscope_abi::name;
use mpiscope_trace::check::event::{Data, Head, mode};
use rustc_hash::FxHashMap;

use crate::Confidence;
use crate::deadlock::{Knot, Unmet, Wait};
use crate::judge::Judge;
use crate::messages::{Message, Miss, PARTITIONED, Receive};
use crate::process::{Awaited, Process};
use crate::replay::{Need, Saved};
use crate::report::{CallRef, Draft, ranks};
use crate::rules;
use crate::signature::Compared;
use crate::threads::Route;

/// Messages and receives of a process that a text lists.
const MOST_LISTED: usize = 4;

impl Judge {
    fn comm_name(&self, comm: u32) -> &str {
        self.objects.comms.get((comm & !PARTITIONED) as usize).map_or("an unknown communicator", |c| &c.name)
    }

    fn data(&self, data: Option<crate::signature::Signature>) -> String {
        data.map_or("data of an unknown type".into(), |d| self.objects.signatures.describe(d))
    }

    fn sent(&self, m: &Message) -> String {
        format!(
            "rank {} sends {} to rank {} with tag {} in {} ({})",
            m.sender,
            self.data(m.data),
            m.receiver,
            m.tag,
            self.comm_name(m.comm),
            name(m.place.function.into())
        )
    }

    fn asked(&self, r: &Receive) -> String {
        let source = if r.is_wild { "any rank".into() } else { r.source.map_or("?".into(), |s| format!("rank {s}")) };
        let tag = r.asked_tag.map_or("any tag".into(), |t| format!("tag {t}"));
        format!("from {source} with {tag} in {}", self.comm_name(r.comm))
    }

    /// A message and its receive: types, length, and whether a ready send was early.
    pub(crate) fn check_pair(&mut self, message: u32, receive: u32) {
        let (Some(m), Some(r)) = (self.messages.messages.get(message), self.messages.receives.get(receive)) else {
            return;
        };
        let sides = [m.sender, r.receiver];
        let route = Route {
            sent: (m.sender, m.receiver, m.comm, m.tag),
            asked: (r.receiver, r.comm, if r.is_wild { None } else { r.source }, r.asked_tag),
        };
        self.threads.received(message, m.place, r.place, m.data);
        let several = sides.iter().any(|&p| self.processes.get(p as usize).is_some_and(|p| p.has_several()));
        let is_guess = several || self.messages.is_uncertain(m.comm, r.receiver);
        let sure = if is_guess { Confidence::Possible } else { Confidence::Certain };
        if m.mode == mode::READY && r.begun_ns > m.begun_ns + i128::from(self.settings.clock_error_ns) {
            let text = format!(
                "{}, but rank {} posts the receive later ({}).",
                capital(&self.sent(m)),
                r.receiver,
                name(r.place.function.into())
            );
            let draft = Draft::new("message.ready-send")
                .text(text)
                .at_most(sure)
                .party(m.place, "sends")
                .party(r.place, "receives");
            self.report_pair(draft, sides, route);
        }
        let (Some(m), Some(r)) = (self.messages.messages.get(message), self.messages.receives.get(receive)) else {
            return;
        };
        let (Some(sent), Some(room)) = (m.data, r.data) else { return };
        let is_long = sent.bytes > room.bytes;
        // Nearly always.
        if sent == room {
            return;
        }
        if r.is_exact && sent.bytes < room.bytes {
            let text = format!(
                "mpi_assert_exact_length is true, but a message of {} bytes is received with room for {}",
                sent.bytes, room.bytes
            );
            let text =
                rules::by_id("argument.promise").map_or_else(String::new, |rule| rules::fill(rule.text, &text, [0; 3]));
            let draft = Draft::new("argument.promise").text(text).at_most(sure);
            let draft = draft.number("sent_bytes", sent.bytes as i64).number("room_bytes", room.bytes as i64);
            self.report_pair(draft.party(r.place, "receives").party(m.place, "sends"), sides, route);
            return;
        }
        let compared = self.objects.signatures.compare(sent, room);
        let rule = match compared {
            _ if is_long => "message.truncated",
            Compared::Different { .. } => "message.datatype",
            Compared::Untyped => "message.untyped",
            _ => return,
        };
        let at = match compared {
            Compared::Different { at, left, right } if !is_long => {
                format!(" Element {at} is {left} in the message, but {right} in the receive.")
            }
            _ => String::new(),
        };
        let text = format!(
            "{}; rank {} receives {} ({}).{at}",
            capital(&self.sent(m)),
            r.receiver,
            self.data(r.data),
            name(r.place.function.into())
        );
        let draft = Draft::new(rule)
            .text(text)
            .at_most(sure)
            .number("sent_bytes", sent.bytes as i64)
            .number("room_bytes", room.bytes as i64)
            .party(r.place, "receives")
            .party(m.place, "sends");
        self.report_pair(draft, sides, route);
    }

    /// A finding about a message and its receive. Which thread sent first is known only when the events of all threads are read.
    fn report_pair(&mut self, draft: Draft, sides: [u32; 2], route: Route) {
        match sides.iter().any(|&process| self.objects.is_multiple(process)) {
            true => self.threads.defer(draft, sides, route),
            false => self.sink.add(draft),
        }
    }

    /// Buffers of collective operations that were changed, unless the operations did not match.
    pub(crate) fn report_changed_buffers(&mut self, is_end: bool) {
        for (draft, has_waited) in std::mem::take(&mut self.written) {
            match (self.sink.mismatch, is_end || has_waited) {
                (true, _) => {}
                (_, true) => self.sink.add(draft),
                (_, false) => self.written.push((draft, true)),
            }
        }
    }

    /// Everything has been read: what depends on the order of threads.
    pub(crate) fn report_thread_order(&mut self) {
        let Judge { threads, processes, sink, .. } = self;
        let of = |process: u32| processes.get(process as usize);
        let seen = |process, thread: u8| {
            of(process).and_then(|p| p.threads.get(usize::from(thread))).map_or((0, 0), |t| t.seen)
        };
        threads.report(sink, |process| of(process).is_some_and(|p| p.has_several()), seen);
    }

    /// An access to another process's memory: `[to, from]` must have the same types.
    pub(crate) fn check_access(&mut self, process: u32, head: &Head, [to, from]: [&Data; 2]) {
        let signature = |data: &Data| match data.datatype {
            0 => None,
            datatype => self.objects.signature(process, datatype, data.count),
        };
        let (Some(to), Some(from)) = (signature(to), signature(from)) else { return };
        if to == from {
            return;
        }
        let rule = match self.objects.signatures.compare(to, from) {
            _ if from.bytes > to.bytes => "message.truncated",
            Compared::Different { .. } => "message.datatype",
            _ => return,
        };
        let place = self.place(process, head);
        let text = format!(
            "Rank {process} transfers {} to memory that it declares as {} ({}).",
            self.objects.signatures.describe(from),
            self.objects.signatures.describe(to),
            name(head.function.into())
        );
        self.sink.add(Draft::new(rule).text(text).party(place, "transfers"));
    }

    /// A message that was received as the first datatype is counted in elements of the second one.
    pub(crate) fn check_counted(&mut self, process: u32, head: &Head, types: [u32; 2], bytes: u64, site: u32) {
        // As much of both as has come; of a datatype that is larger than that one element.
        let whole = types.map(|datatype| {
            let size = self.objects.datatype(process, datatype).map_or(0, |d| d.size);
            bytes.checked_div(size)
        });
        let [Some(received), Some(asked)] = whole else { return };
        if received == 0 && asked == 0 {
            return;
        }
        let signature = |datatype, count: u64| self.objects.signature(process, datatype, count.max(1));
        let (Some(received), Some(asked)) = (signature(types[0], received), signature(types[1], asked)) else { return };
        let Compared::Different { at, left, right } = self.objects.signatures.compare(asked, received) else { return };
        let place = self.place(process, head);
        let origin = self.place(process, &Head { site, function: 0, at: 0, ..*head });
        let text = format!(
            "The message was received as {}, but is counted as {} ({}). Element {at} is {right} in the receive, but {left} \
             here.",
            self.objects.signatures.describe(received),
            self.objects.signatures.describe(asked),
            name(head.function.into())
        );
        self.sink
            .add(Draft::new("message.counted-as").text(text).party(place, "counts").party(origin, "received here"));
    }

    /// Findings that are made together: collective operations, races, windows and files.
    pub(crate) fn report_collected(&mut self) {
        self.collectives.report(&mut self.objects, &mut self.sink);
        self.report_changed_buffers(false);
        self.access_conflicts.report(&mut self.sink);
        for (_, (race, count)) in std::mem::take(&mut self.replay.races) {
            let several =
                [race.choice.process, race.other_from].iter().any(|&p| self.processes[p as usize].has_several());
            if several {
                continue;
            }
            let (rule, verb) = if race.is_probe { ("race.probe", "found") } else { ("race.receive", "received") };
            let text = format!(
                "Rank {} {verb} a message from rank {} in {} ({}); the one that rank {} sends with tag {} ({}) could have arrived \
                 first.",
                race.choice.process,
                race.taken_from,
                self.comm_name(race.comm),
                name(race.choice.function.into()),
                race.other_from,
                race.tag,
                name(race.other_send.function.into()),
            );
            let draft = Draft::new(rule)
                .times(count)
                .text(text)
                .party(race.choice, "receives from any source")
                .party(race.other_send, "sends as well");
            self.sink.add(draft);
        }
    }

    /// The end: messages without a receive and receives without a message.
    pub(crate) fn report_unmatched(&mut self) {
        self.report_collected();
        let (messages, receives) = self.messages.left();
        let has_ended =
            |judge: &Judge, process: u32| judge.processes.get(process as usize).is_some_and(|p| p.is_finalizing);
        // After a deadlock everything else is its consequence.
        let is_consequence = self.sink.deadlock;
        let lost = first_of_each(messages, |id| {
            let m = self.messages.messages.get(id)?;
            let is_left = !m.is_cancelled && has_ended(self, m.sender) && has_ended(self, m.receiver);
            (is_left && !is_consequence).then_some((m.comm, m.sender, m.receiver, m.place.function, m.place.site))
        });
        for (id, count) in lost {
            let Some(m) = self.messages.messages.get(id) else { continue };
            let guess = self.messages.is_uncertain(m.comm, m.receiver);
            let mut text = format!("{}, but no process received it.", capital(&self.sent(m)));
            let near = self.messages.near_receive(m).map(|(id, miss)| (self.messages.receives.get(id), miss));
            let mut parties = vec![(m.place, "sends")];
            if let Some((Some(r), miss)) = near {
                text += &format!(" Rank {} waits for one {}: {}.", r.receiver, self.asked(r), other(miss));
                parties.push((r.place, "near miss"));
            }
            let mut draft = Draft::new("message.lost").text(text).number("tag", m.tag.into()).times(count);
            if guess {
                draft = draft.at_most(Confidence::Possible);
            }
            for (place, role) in parties {
                draft.add(place, None, role);
            }
            self.sink.add(draft);
        }
        if !is_consequence {
            self.report_matched_unreceived();
        }
        let open = first_of_each(receives, |id| {
            let r = self.messages.receives.get(id)?;
            let is_left = !r.is_cancelled && !r.is_done && has_ended(self, r.receiver);
            (is_left && !is_consequence).then_some((r.comm, r.receiver, r.place.function, r.place.site))
        });
        for (id, count) in open {
            let Some(r) = self.messages.receives.get(id) else { continue };
            let guess = self.messages.is_uncertain(r.comm, r.receiver);
            let mut text = format!(
                "Rank {} receives {} ({}), but no such message was sent.",
                r.receiver,
                self.asked(r),
                name(r.place.function.into())
            );
            let mut parties = vec![(r.place, "receives")];
            let near = self.messages.near(r.receiver, r.comm, r.source, r.tag);
            if let Some((Some(m), miss)) = near.map(|(id, miss)| (self.messages.messages.get(id), miss)) {
                text += &format!(" {}: {}.", capital(&self.sent(m)), other(miss));
                parties.push((m.place, "near miss"));
            }
            let mut draft = Draft::new("message.never-came").text(text).times(count);
            if guess {
                draft = draft.at_most(Confidence::Possible);
            }
            for (place, role) in parties {
                draft.add(place, None, role);
            }
            self.sink.add(draft);
        }
        if !is_consequence && !self.sink.mismatch {
            let gone = |process: u32| self.processes.get(process as usize).is_some_and(|p| p.is_finalizing);
            self.collectives.report_incomplete(&self.objects, &mut self.sink, gone);
        }
    }

    /// Messages that matched probes have taken and that are never received.
    fn report_matched_unreceived(&mut self) {
        for process in 0..self.processes.len() {
            let of = &mut self.processes[process];
            if !of.is_finalizing {
                continue;
            }
            let mut reserved: Vec<(u64, u32)> = std::mem::take(&mut of.reserved).into_iter().collect();
            reserved.sort_unstable();
            for (_, id) in reserved {
                let Some(r) = self.messages.receives.get(id) else { continue };
                let Some(m) = r.matched.and_then(|m| self.messages.messages.get(m)) else { continue };
                let taken = format!("rank {process} matched it with a probe ({})", name(r.place.function.into()));
                let text = format!("{}; {taken}, but never received it.", capital(&self.sent(m)));
                let mut draft = Draft::new("message.lost").text(text).number("tag", m.tag.into());
                if self.messages.is_uncertain(m.comm, m.receiver) {
                    draft = draft.at_most(Confidence::Possible);
                }
                self.sink.add(draft.party(m.place, "sends").party(r.place, "matches it"));
            }
        }
    }

    /// A deadlock that only the buffering of messages avoided.
    pub(crate) fn report_saved(&mut self, saved: &Saved) {
        self.report_collected();
        if !self.settings.buffering || self.sink.mismatch {
            return;
        }
        let describe = |judge: &Judge, place: &CallRef, need: &Need| {
            let call = name(place.function.into());
            match need {
                Need::Sent(id) | Need::Transmitted(id) => match judge.messages.messages.get(*id) {
                    Some(m) => format!("{call} until rank {} receives tag {}", m.receiver, m.tag),
                    None => call.to_owned(),
                },
                Need::Received(id) => match judge.messages.receives.get(*id) {
                    Some(r) => format!("{call} for a message {}", judge.asked(r)),
                    None => call.to_owned(),
                },
                _ => format!("{call} for the other processes"),
            }
        };
        let parts: Vec<String> = saved
            .cycle
            .iter()
            .map(|(place, need)| format!("rank {} in {}", place.process, describe(self, place, need)))
            .collect();
        let text = if parts.len() == 1 {
            format!("Without buffering, {} would wait for itself.", parts[0])
        } else {
            format!("Without buffering, each would wait for the next: {}.", list(&parts))
        };
        let mut draft = Draft::new("deadlock.buffering").text(text).number("processes", saved.cycle.len() as i64);
        for (place, _) in &saved.cycle {
            draft.add(*place, None, "would wait");
        }
        self.sink.add(draft);
    }

    /// Processes in a deadlock: each cycle, or end of a chain, once.
    pub(crate) fn report_knot(&mut self, knot: &Knot) {
        let mut members: Vec<u32> = knot.waits.keys().copied().collect();
        members.sort_unstable();
        let mut ends: Vec<Option<usize>> = vec![None; knot.stuck.len()];
        let mut chains: Vec<(Vec<u32>, Option<u32>)> = Vec::new();
        for &begin in &members {
            let mut way: Vec<u32> = Vec::new();
            let mut at = begin;
            let end = loop {
                if let Some(known) = ends[at as usize] {
                    break known;
                }
                if let Some(from) = way.iter().position(|&p| p == at) {
                    let mut cycle = way[from..].to_vec();
                    let lowest = (0..cycle.len()).min_by_key(|&i| cycle[i]).unwrap_or(0);
                    cycle.rotate_left(lowest);
                    chains.push((cycle, None));
                    break chains.len() - 1;
                }
                way.push(at);
                match self.next(knot, at) {
                    Some((next, false)) => at = next,
                    Some((gone, true)) => {
                        chains.push((vec![at], Some(gone)));
                        break chains.len() - 1;
                    }
                    None => {
                        chains.push((vec![at], None));
                        break chains.len() - 1;
                    }
                }
            };
            way.iter().for_each(|&p| ends[p as usize] = Some(end));
        }
        for (number, (chain, gone)) in chains.iter().enumerate() {
            let behind: Vec<u32> =
                members.iter().copied().filter(|&p| ends[p as usize] == Some(number) && !chain.contains(&p)).collect();
            let is_deadlock_reported = |process: &Process| {
                process.is_deadlock_reported || (!knot.is_sure && process.is_likely_deadlock_reported)
            };
            if chain.iter().all(|&p| is_deadlock_reported(&self.processes[p as usize])) {
                continue;
            }
            self.report_chain(knot, chain, *gone, &behind);
        }
        for process in members {
            let process = &mut self.processes[process as usize];
            process.is_likely_deadlock_reported = true;
            process.is_deadlock_reported |= knot.is_sure;
        }
        self.sink.deadlock |= knot.is_sure;
    }

    /// The process that a process waits for, and whether it has ended. Those that have ended come first: they explain more.
    fn next(&self, knot: &Knot, process: u32) -> Option<(u32, bool)> {
        let needs = || knot.waits.get(&process).into_iter().flatten().flat_map(|w| &w.needs);
        let is_gone = |p: u32| self.processes.get(p as usize).is_some_and(|p| p.is_gone());
        let hopeless = |unmet: &&Unmet| {
            let cannot = |p: &u32| knot.stuck.get(*p as usize).copied().unwrap_or(false) || is_gone(*p);
            if unmet.all { unmet.who.iter().any(cannot) } else { unmet.who.iter().all(cannot) }
        };
        let gone = needs()
            .filter(hopeless)
            .filter(|u| u.all || u.who.len() == 1)
            .flat_map(|u| u.who.iter().copied())
            .find(|&p| is_gone(p));
        if let Some(gone) = gone {
            return Some((gone, true));
        }
        let stuck = |p: &u32| knot.stuck.get(*p as usize).copied().unwrap_or(false);
        let others = needs().filter(hopeless).flat_map(|u| u.who.iter().copied()).filter(stuck);
        // Of several the next higher one, so that cycles read in the order of ranks.
        let mut others: Vec<u32> = others.filter(|&p| p != process).collect();
        others.sort_unstable();
        let next = others.iter().copied().find(|&p| p > process).or(others.first().copied());
        next.map(|p| (p, false)).or_else(|| {
            let mut rest = needs().filter(hopeless).flat_map(|u| u.who.iter().copied());
            let itself = needs().any(|u| u.who.contains(&process));
            let gone = rest.find(|&p| is_gone(p));
            gone.map(|p| (p, true)).or(itself.then_some((process, false)))
        })
    }

    fn report_chain(&mut self, knot: &Knot, chain: &[u32], gone: Option<u32>, behind: &[u32]) {
        let waits: Vec<&Wait> = chain.iter().filter_map(|p| knot.waits.get(p)?.first()).collect();
        let collective = |w: &&Wait| {
            w.needs
                .iter()
                .any(|u| matches!(u.awaited, Awaited::Collective(_)) || self.is_part(&u.awaited, w.place.process))
        };
        let asks = waits.iter().any(|w| w.asks);
        let all_collective = waits.iter().all(collective);
        let rule = match gone {
            Some(_) if all_collective => "collective.missing",
            Some(_) => "deadlock.ended",
            None if asks => "deadlock.polling",
            None if chain.len() == 1 => "deadlock.self",
            None if all_collective => "deadlock.collective",
            None => "deadlock.cycle",
        };
        let mut sentences: Vec<String> = Vec::new();
        let mut near: Vec<(CallRef, String)> = Vec::new();
        for wait in &waits {
            let process = wait.place.process;
            let verb = if wait.asks { "polls in" } else { "waits in" };
            let why: Vec<String> = wait.needs.iter().take(MOST_LISTED).map(|u| self.why(process, u)).collect();
            let join = if wait.is_any { " or " } else { " and " };
            sentences.push(format!("rank {process} {verb} {} {}", name(wait.place.function.into()), why.join(join)));
            for unmet in &wait.needs {
                if let Some((place, text)) = self.near_miss(process, &unmet.awaited) {
                    near.push((place, text));
                }
            }
        }
        let mut text = capital(&sentences.join("; ")) + ".";
        if let Some(gone) = gone {
            let how = match self.processes.get(gone as usize) {
                Some(p) if p.ended.is_none() => "is in MPI_Finalize",
                _ => "has ended",
            };
            text += &format!(" Rank {gone} {how}.");
        }
        for (_, miss) in near.iter().take(MOST_LISTED) {
            text += &format!(" Near miss: {miss}.");
        }
        for wait in waits.iter().take(MOST_LISTED) {
            text += &self.queues(wait.place.process, &near);
        }
        if !behind.is_empty() {
            let verb = if behind.len() == 1 { "waits" } else { "wait" };
            text += &format!(" {} {verb} for them in turn.", capital(&ranks(behind)));
        }
        let mut draft = Draft::new(rule).stuck().text(text).number("processes", (chain.len() + behind.len()) as i64);
        if chain.len() > 1 {
            draft = draft.title(format!("Deadlock of {}", ranks(chain)));
        }
        if !knot.is_sure {
            draft = draft.at_most(Confidence::Possible);
        }
        for wait in &waits {
            draft.add(wait.place, None, if wait.asks { "polls" } else { "waits" });
        }
        if let Some(gone) = gone
            && let Some(open) =
                self.processes.get(gone as usize).and_then(|p| p.threads.iter().find_map(|t| t.open.as_ref()))
        {
            draft.add(open.place, None, "ends its communication");
        }
        for (place, _) in near {
            draft.add(place, None, "near miss");
        }
        for &process in behind {
            if let Some(wait) = knot.waits.get(&process).and_then(|w| w.first()) {
                draft.add(wait.place, None, "waits for them");
            }
        }
        self.sink.add(draft);
    }

    /// Whether an operation is a part of a collective one.
    fn is_part(&self, awaited: &Awaited, process: u32) -> bool {
        match awaited {
            Awaited::Op(op) => {
                self.processes[process as usize].ops.get(op).is_some_and(|op| matches!(op.what, Awaited::Collective(_)))
            }
            _ => false,
        }
    }

    /// What a process waits for, as text.
    fn why(&self, process: u32, unmet: &Unmet) -> String {
        let who = || if unmet.who.len() == 1 { format!("rank {}", unmet.who[0]) } else { ranks(&unmet.who) };
        match &unmet.awaited {
            Awaited::Op(op) => match self.processes[process as usize].ops.get(op) {
                Some(known) => {
                    let inner = Unmet { awaited: known.what.clone(), ..unmet.clone() };
                    let began = name(known.place.function.into());
                    match known.what {
                        Awaited::Op(_) => "for an operation".into(),
                        _ => format!("{} (of {began})", self.why(process, &inner)),
                    }
                }
                None => "for an operation".into(),
            },
            Awaited::Send(id) => match self.messages.messages.get(*id) {
                Some(m) if m.unready > 0 => {
                    let partitions = if m.unready == 1 { "partition" } else { "partitions" };
                    format!("until it marks {} more {partitions} of its message ready", m.unready)
                }
                Some(m) => {
                    format!(
                        "until rank {} receives its message with tag {} in {}",
                        m.receiver,
                        m.tag,
                        self.comm_name(m.comm)
                    )
                }
                None => format!("for {}", who()),
            },
            Awaited::Receive(id) => match self.messages.receives.get(*id) {
                Some(r) => format!("for a message {}", self.asked(r)),
                None => format!("for {}", who()),
            },
            Awaited::Probe { comm, source, tag } => {
                let source = source.map_or("any rank".into(), |s| format!("rank {s}"));
                let tag = tag.map_or("any tag".into(), |t| format!("tag {t}"));
                format!("for a message from {source} with {tag} in {}", self.comm_name(*comm))
            }
            Awaited::Collective(joined) => {
                format!("for {} in {}", who(), self.collectives.number(joined, &self.objects))
            }
            Awaited::Posts { .. } => format!("for {} to post the window to it", who()),
            Awaited::Completes { .. } => format!("for {} to complete the access to its window", who()),
            Awaited::Lock { target, .. } => format!("for the lock of rank {target}, which {} hold", who()),
            Awaited::Transmitted(_) => format!("until its buffered messages to {} are received", who()),
            Awaited::Taken => "for a request that another of its threads has completed".to_owned(),
            Awaited::Own => "for a generalised request, until it calls MPI_Grequest_complete itself".to_owned(),
            Awaited::Finalize | Awaited::Access | Awaited::Nothing => format!("for {}", who()),
        }
    }

    fn near_miss(&self, process: u32, awaited: &Awaited) -> Option<(CallRef, String)> {
        match awaited {
            Awaited::Op(op) => {
                let op = self.processes[process as usize].ops.get(op)?;
                if matches!(op.what, Awaited::Op(_)) { None } else { self.near_miss(process, &op.what) }
            }
            Awaited::Receive(id) => {
                let r = self.messages.receives.get(*id)?;
                let (id, miss) = self.messages.near(process, r.comm, r.source, r.tag)?;
                let m = self.messages.messages.get(id)?;
                Some((m.place, format!("{} ({})", self.sent(m), other(miss))))
            }
            Awaited::Probe { comm, source, tag } => {
                let (id, miss) = self.messages.near(process, *comm, *source, *tag)?;
                let m = self.messages.messages.get(id)?;
                Some((m.place, format!("{} ({})", self.sent(m), other(miss))))
            }
            Awaited::Send(id) => {
                let m = self.messages.messages.get(*id).filter(|m| m.unready == 0)?;
                let (id, miss) = self.messages.near_receive(m)?;
                let r = self.messages.receives.get(id)?;
                Some((r.place, format!("rank {} receives {} ({})", r.receiver, self.asked(r), other(miss))))
            }
            _ => None,
        }
    }

    /// Messages that are not received, and posted receives, except those that are reported already.
    fn queues(&self, process: u32, reported: &[(CallRef, String)]) -> String {
        let (messages, receives) = self.messages.outstanding(process);
        let is_new = |place: &CallRef| !reported.iter().any(|(p, _)| p == place);
        let unexpected: Vec<String> = messages
            .iter()
            .filter_map(|&m| self.messages.messages.get(m))
            .filter(|m| is_new(&m.place))
            .map(|m| format!("tag {} from rank {}", m.tag, m.sender))
            .collect();
        let open: Vec<String> =
            receives.iter().filter_map(|&r| self.messages.receives.get(r)).map(|r| self.asked(r)).collect();
        let mut out = String::new();
        let some = |list: &[String]| {
            let more = list.len().saturating_sub(MOST_LISTED);
            let text = list[..list.len().min(MOST_LISTED)].join("; ");
            if more > 0 { format!("{text}; {more} more") } else { text }
        };
        if !unexpected.is_empty() {
            out += &format!(" Sent to rank {process}, not received: {}.", some(&unexpected));
        }
        if open.len() > 1 {
            out += &format!(" Posted receives of rank {process}: {}.", some(&open));
        }
        out
    }

    /// No progress, for an unknown reason.
    pub(crate) fn report_timeout(&mut self, quiet_ns: u64) {
        let text = format!("No process has made or completed an MPI call for {:.1} s.", quiet_ns as f64 * 1e-9);
        let mut draft = Draft::new("deadlock.timeout").text(text).number("quiet_ns", quiet_ns as i64);
        for process in &self.processes {
            for thread in &process.threads {
                if let Some(open) = &thread.open {
                    draft.add(open.place, None, "is in this call");
                } else if let Some(asking) = thread.asking.first() {
                    draft.add(asking.place, None, "polls");
                }
            }
        }
        self.sink.add(draft);
    }
}

/// The first of each key and the number of them: a loop may leave very many.
fn first_of_each<K: Eq + Hash>(ids: Vec<u32>, key: impl Fn(u32) -> Option<K>) -> Vec<(u32, u64)> {
    let mut found: Vec<(u32, u64)> = Vec::new();
    let mut known: FxHashMap<K, usize> = FxHashMap::default();
    for id in ids {
        let Some(key) = key(id) else { continue };
        let at = *known.entry(key).or_insert(found.len());
        match found.get_mut(at) {
            Some((_, count)) => *count += 1,
            None => found.push((id, 1)),
        }
    }
    found
}

fn other(miss: Miss) -> &'static str {
    match miss {
        Miss::Tag => "different tag",
        Miss::Comm => "different communicator",
        Miss::Source => "different source",
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

fn list(parts: &[String]) -> String {
    const SHOWN: usize = 8;
    if parts.len() <= SHOWN {
        return parts.join("; ");
    }
    format!("{}; and {} more", parts[..SHOWN].join("; "), parts.len() - SHOWN)
}
