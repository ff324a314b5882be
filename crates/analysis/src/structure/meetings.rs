//! Which ranks synchronise with each other, where and how often.

use std::collections::BTreeMap;

use mpiscope_store::{Batch, Dimensions, Member, Message};
use rustc_hash::FxHashMap;

use super::iterations::Loop;
use super::sequence::Sequence;
use super::tokens::Tables;
use crate::explanation::structure::Synchronisation;

/// Meetings that occur fewer times per iteration do not belong to the loop.
const LEAST_OFTEN: f64 = 0.01;
/// Meetings that occur fewer times in the run are left out.
const LEAST_TIMES: u64 = 3;
/// Most rows that are kept.
const MOST: usize = 64;

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    times: u64,
    ranks: u64,
    bytes: u64,
}

/// Numbers of meetings by place and communicator.
#[derive(Default)]
pub(crate) struct Meetings {
    collectives: FxHashMap<(u32, u32), Group>,
    messages: FxHashMap<(u32, u32), Group>,
    last: ((u32, u32), Group),
    /// Bytes that collective operations moved from every rank to every other one, and how many of these between only some of the
    /// ranks.
    pub all_to_all_bytes: u64,
    pub transposed_bytes: u64,
    /// Bytes that collective operations moved between neighbours.
    pub neighbor_bytes: u64,
}

impl Meetings {
    pub fn add_batch(&mut self, batch: &Batch, tables: &Tables) {
        for c in &batch.collectives {
            let members = &batch.members[c.members.clone()];
            let Some(first) = members.first() else { continue };
            let Some(place) = tables.place(first.rank.0 as usize, first.end.facts) else { continue };
            let group = self.collectives.entry((place, c.comm.0)).or_default();
            group.times += 1;
            group.ranks = group.ranks.max(members.len() as u64 + u64::from(c.missing));
            let bytes = |members: &[Member]| members.iter().map(|m| m.bytes_sent).sum::<u64>();
            match mpiscope_abi::name(c.function) {
                name if name.contains("eighbor") => self.neighbor_bytes += bytes(members),
                name if name.contains("lltoall") => {
                    self.all_to_all_bytes += bytes(members);
                    if members.len() < tables.ranks.len() {
                        self.transposed_bytes += bytes(members);
                    }
                }
                _ => {}
            }
        }
    }

    /// Communicators of collective operations.
    pub fn comms(&self) -> Vec<u32> {
        let mut comms: Vec<u32> = self.collectives.keys().map(|k| k.1).collect();
        comms.sort_unstable();
        comms.dedup();
        comms
    }

    #[inline]
    pub fn message(&mut self, message: &Message, tables: &Tables) {
        if !message.receive.is_done() {
            return;
        }
        let Some(place) = tables.place(message.receiver.0 as usize, message.receive.done_facts) else { return };
        let key = (place, message.comm.0);
        if self.last.0 != key {
            self.flush();
            self.last.0 = key;
        }
        self.last.1.times += 1;
        self.last.1.bytes += message.bytes;
    }

    fn flush(&mut self) {
        let (key, group) = std::mem::take(&mut self.last);
        if group.times > 0 {
            let sum = self.messages.entry(key).or_default();
            sum.times += group.times;
            sum.bytes += group.bytes;
        }
    }

    pub fn per_iteration(
        mut self,
        l: Option<&Loop>,
        sequences: &[Sequence],
        tables: &Tables,
        dimensions: &Dimensions,
    ) -> Vec<Synchronisation> {
        self.flush();
        let turns = l.and_then(|l| l.turns.first()).map(|t| t.count.max(1));
        let mut by_place: BTreeMap<u32, Vec<(u32, Group)>> = BTreeMap::new();
        for (&(place, comm), &group) in self.collectives.iter().filter(|(_, g)| g.ranks > 1) {
            by_place.entry(place).or_default().push((comm, group));
        }
        let mut rows = Vec::new();
        for (place, groups) in by_place {
            let times = groups.iter().map(|g| g.1.times).max().unwrap_or(0);
            let ranks = groups.iter().map(|g| g.1.ranks).max().unwrap_or(0);
            rows.push(row("collective", place, &groups, ranks, times, turns, tables, dimensions));
        }
        let mut calls: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
        for (sequence, alphabet) in sequences.iter().zip(&tables.ranks) {
            for (letter, meaning) in sequence.letters.iter().zip(&alphabet.meanings).filter(|(l, _)| l.count > 0) {
                let sum = calls.entry(meaning.place).or_default();
                sum.0 = sum.0.max(letter.count.into());
                sum.1 += 1;
            }
        }
        let mut by_place: BTreeMap<u32, Vec<(u32, Group)>> = BTreeMap::new();
        for (&(place, comm), &group) in &self.messages {
            by_place.entry(place).or_default().push((comm, group));
        }
        for (place, mut groups) in by_place {
            groups.sort_by_key(|g| g.0);
            let (times, _) = calls.get(&place).copied().unwrap_or_default();
            let members = |comm: u32| dimensions.comms.get(comm as usize).map_or(0, |c| c.members.len());
            let ranks = groups.iter().map(|g| members(g.0)).max().unwrap_or(0) as u64;
            rows.push(row("messages", place, &groups, ranks, times, turns, tables, dimensions));
        }
        rows.retain(|r| r.count >= LEAST_TIMES && r.per_iteration.is_none_or(|n| n >= LEAST_OFTEN));
        rows.sort_by(|a, b| {
            (a.what, std::cmp::Reverse(a.ranks), std::cmp::Reverse(a.count), &a.site).cmp(&(
                b.what,
                std::cmp::Reverse(b.ranks),
                std::cmp::Reverse(b.count),
                &b.site,
            ))
        });
        rows.truncate(MOST);
        rows
    }
}

#[allow(clippy::too_many_arguments)]
fn row(
    what: &'static str,
    place: u32,
    groups: &[(u32, Group)],
    ranks: u64,
    times: u64,
    turns: Option<u64>,
    tables: &Tables,
    dimensions: &Dimensions,
) -> Synchronisation {
    let per_iteration = turns.map(|n| times as f64 / n as f64);
    let (function, site) = (tables.function(place), tables.text(place, dimensions));
    let one = |id: u32| dimensions.comm(mpiscope_store::CommId(id)).to_owned();
    let comm = if let [(id, _)] = groups { one(*id) } else { String::new() };
    let all = ranks as usize == dimensions.ranks.len() && groups.len() == 1;
    let who = match (what, all, groups.len()) {
        ("collective", true, _) => format!("all {ranks} ranks synchronise"),
        ("collective", _, 1) => format!("{ranks} ranks of {comm} synchronise"),
        ("collective", ..) => format!("{} groups of up to {ranks} ranks each synchronise separately", groups.len()),
        (_, true, _) => "each rank waits for messages from its neighbours".to_owned(),
        (_, _, 1) => format!("ranks of {comm} wait for messages from each other"),
        _ => format!("in {} groups of up to {ranks} ranks, each waits for messages from its neighbours", groups.len()),
    };
    let often = match per_iteration {
        None => format!("{times} times"),
        Some(n) => often(times, n),
    };
    let call = tables.call(place, dimensions);
    let text = format!("{who} in {call} {often}");
    let groups = groups.len() as u64;
    Synchronisation { what, function, site, comm, groups, ranks, per_iteration, count: times, text }
}

/// In words, how often something happens that happens `times` times in total.
pub(super) fn often(times: u64, per_iteration: f64) -> String {
    match per_iteration {
        n if trim(n) == "1" => "once per iteration".to_owned(),
        n if n > 1.0 => format!("{} times per iteration", trim(n)),
        n => rarely(times, n),
    }
}

/// For less than once an iteration: the number of iterations from one to the next, if it is nearly a whole number.
fn rarely(times: u64, per_iteration: f64) -> String {
    let between = 1.0 / per_iteration;
    let whole = between.round();
    if whole < 2.0 {
        let iterations = (times as f64 / per_iteration).round();
        return format!("{times} times in {iterations} iterations");
    }
    let about = if (between - whole).abs() < 0.001 * whole { "" } else { "about " };
    format!("{about}every {whole} iterations")
}

fn trim(n: f64) -> String {
    if (n - n.round()).abs() < 0.05 { format!("{n:.0}") } else { format!("{n:.1}") }
}

#[cfg(test)]
mod tests {
    use super::{often, rarely};

    #[test]
    fn once_is_no_number() {
        for (times, turns, text) in [
            (49, 50, "once per iteration"),
            (52, 50, "once per iteration"),
            (100, 50, "2 times per iteration"),
            (130, 50, "2.6 times per iteration"),
            (45, 50, "45 times in 50 iterations"),
        ] {
            assert_eq!(often(times, times as f64 / f64::from(turns)), text);
        }
    }

    #[test]
    fn how_rarely() {
        for (times, turns, text) in [
            (10, 752, "about every 75 iterations"),
            (10, 200, "every 20 iterations"),
            (8, 9, "8 times in 9 iterations"),
            (199, 201, "199 times in 201 iterations"),
            (20, 1000, "every 50 iterations"),
        ] {
            assert_eq!(rarely(times, times as f64 / f64::from(turns)), text);
        }
    }
}
