//! Which answers to a rendezvous queued behind the data that their receiver sent to the same rank.
//!
//! Over TCP, all that a rank sends to another one arrives in the order in which it was sent. A receiver that is sending a long message
//! to the sender of another one has its answer behind it: the two messages move one after the other, although each direction of the network
//! could take one of them. A network in which they do not hinder each other moves both in the time of one.

use std::collections::BTreeMap;

/// A message by rendezvous, once both ends were ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moved {
    pub both_ns: u64,
    pub sent_ns: u64,
    pub until_ns: u64,
    pub ends: (u32, u32),
    pub bytes: u64,
    /// Its place in the caller's list.
    pub at: usize,
}

/// How long an answer queued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Queued {
    pub ns: u64,
    /// Whether two messages that do not hinder each other could not look like that.
    pub is_sure: bool,
}

/// A message that moved after another one takes, from then on, at least this part of the other's time.
const MOVES: f64 = 0.7;
/// Messages that do not hinder each other may look as if one moved after the other if they overlap for less than this part.
const OVERLAPS: f64 = 0.4;
/// Messages between the same ranks that are looked at: those that begin next to each other.
const NEAR: usize = 8;

/// Of which messages the answers queued; in order of their places.
pub(crate) fn queued(mut moved: Vec<Moved>) -> impl Iterator<Item = (usize, Queued)> {
    moved.sort_unstable();
    let mut by_pair: BTreeMap<(u32, u32), Vec<(Moved, u64)>> = BTreeMap::new();
    let mut found = Vec::new();
    for message in moved {
        let (from, to) = message.ends;
        // With the moment from which on each one really moved.
        let of_pair = by_pair.entry((from.min(to), from.max(to))).or_default();
        let near = of_pair.iter().rev().take(NEAR).filter(|(other, _)| other.ends == (to, from));
        let before = near.max_by_key(|(other, _)| other.until_ns).and_then(|before| behind(&message, before));
        if let Some(queued) = before {
            found.push((message.at, queued));
        }
        of_pair.push((message, message.both_ns + before.map_or(0, |queued| queued.ns)));
    }
    found.sort_unstable_by_key(|&(at, _)| at);
    found.into_iter()
}

/// How long a message waited for another one in the other direction, which began before it.
fn behind(message: &Moved, &(other, from_ns): &(Moved, u64)) -> Option<Queued> {
    let ns = other.until_ns.checked_sub(message.both_ns).filter(|&ns| ns > 0)?;
    let rest_ns = message.until_ns.checked_sub(other.until_ns)? as f64;
    let other_ns = other.until_ns.saturating_sub(from_ns) as f64;
    let usual_ns = other_ns * message.bytes as f64 / other.bytes.max(1) as f64;
    (rest_ns >= MOVES * usual_ns).then_some(Queued { ns, is_sure: ns as f64 >= OVERLAPS * usual_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of equal size: direction, sent, both ready, there.
    fn found(messages: &[(bool, u64, u64, u64)]) -> Vec<(usize, Queued)> {
        let moved = messages.iter().enumerate().map(|(at, &(is_back, sent_ns, both_ns, until_ns))| {
            let ends = if is_back { (1, 0) } else { (0, 1) };
            Moved { both_ns, sent_ns, until_ns, ends, bytes: 1000, at }
        });
        queued(moved.collect()).collect()
    }

    #[test]
    fn messages_that_move_one_after_the_other() {
        // Rank 0 comes to its exchange when the message of rank 1 waits for it: its own moves when that is there.
        let cycle = [(true, 178, 201, 225), (false, 201, 201, 248), (true, 248, 249, 300), (false, 226, 249, 273)];
        let queued = |ns| Queued { ns, is_sure: true };
        assert_eq!(found(&cycle), [(1, queued(24)), (2, queued(24))]);
    }

    #[test]
    fn messages_that_do_not_hinder_each_other() {
        assert_eq!(found(&[(false, 0, 0, 100), (true, 0, 0, 101)]), []);
        for late in 1..100 {
            let sure = found(&[(false, 0, 0, 100), (true, late, late, 100 + late)]);
            assert!(sure.iter().all(|(_, queued)| !queued.is_sure), "{late} {sure:?}");
        }
        // One after the other, and in one direction.
        assert_eq!(found(&[(false, 0, 0, 100), (true, 100, 100, 200)]), []);
        assert_eq!(found(&[(false, 0, 0, 100), (false, 0, 0, 200)]), []);
    }
}
