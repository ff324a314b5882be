//! The order in which a rank's receives take messages.
//!
//! The k-th message of a sender with a tag goes to the k-th receive, *in order of posting*, that ends up with this
//! sender and tag. For a receive that names both this is known at once. One from `MPI_ANY_SOURCE` must first
//! complete; what was posted after it on the same communicator cannot be counted before.

use std::collections::VecDeque;

use mpiscope_store::{CommId, End, RankId};
use rustc_hash::FxHashMap;

/// Names a stream of messages that stay in order: communicator (with a bit for partitioned ones), the other side, tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Stream {
    pub comm: u32,
    pub peer: u32,
    pub tag: i32,
}

/// Bit of [`Stream::comm`] of partitioned messages: they match among themselves only (MPI-5.0 §4.2).
pub(crate) const PARTITIONED: u32 = 1 << 31;

/// A receive that has taken its message, or one that never did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    pub comm: CommId,
    pub partitioned: bool,
    /// Source and tag, and which of them it is; `None` when neither arguments nor status say it.
    pub from: Option<(RankId, i32, u64)>,
    /// Tag asked for, when the source is not known.
    pub tag: Option<i32>,
    pub bytes: u64,
    pub flags: u16,
    pub end: End,
}

/// What is known of the source of a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Open,
    Known(RankId, i32),
    Unknown,
    Cancelled,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    source: Source,
    done: bool,
    received: Received,
}

/// Receives of one rank.
#[derive(Default)]
pub(crate) struct Receives {
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// By communicator: receives whose number is not known yet, in order of posting.
    waiting: FxHashMap<u32, VecDeque<u32>>,
    /// Next number by stream.
    next: FxHashMap<Stream, u64>,
}

/// Handle of a posted receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u32);

impl Receives {
    /// Counting of a stream begins at `number` because earlier messages were lost.
    pub fn begin_at(&mut self, stream: Stream, number: u64) {
        self.next.insert(stream, number);
    }

    /// A blocking receive, complete at once; `actual` is what its status or its arguments say.
    pub fn take(&mut self, received: Received, actual: Option<(RankId, i32)>, out: &mut Vec<Received>) {
        let is_first = self.waiting.get(&lane(&received)).is_none_or(VecDeque::is_empty);
        if is_first {
            let source = actual.map_or(Source::Unknown, |(rank, tag)| Source::Known(rank, tag));
            out.push(self.number(received, source));
        } else {
            let ticket = self.post(received, actual);
            self.complete(ticket, received, actual, out);
        }
    }

    /// A receive is posted; `named` if it names source and tag.
    pub fn post(&mut self, received: Received, named: Option<(RankId, i32)>) -> Ticket {
        let source = named.map_or(Source::Open, |(rank, tag)| Source::Known(rank, tag));
        let entry = Entry { source, done: false, received };
        let index = match self.free.pop() {
            Some(index) => {
                self.entries[index as usize] = entry;
                index
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        let lane = self.waiting.entry(lane(&received)).or_default();
        if lane.is_empty() && named.is_some() {
            let numbered = Received { from: self.counted(&received, source), ..received };
            self.entries[index as usize].received = numbered;
        } else {
            lane.push_back(index);
        }
        Ticket(index)
    }

    /// A posted receive has completed: `received` with its final end and bytes, `actual` from the status.
    pub fn complete(
        &mut self,
        ticket: Ticket,
        received: Received,
        actual: Option<(RankId, i32)>,
        out: &mut Vec<Received>,
    ) {
        let Some(entry) = self.entries.get_mut(ticket.0 as usize) else { return };
        let from = entry.received.from;
        entry.received = Received { from, ..received };
        entry.done = true;
        if let Some((rank, tag)) = actual {
            if from.is_none() {
                entry.source = Source::Known(rank, tag);
            }
        } else if entry.source == Source::Open {
            entry.source = Source::Unknown;
        }
        if from.is_some() {
            out.push(entry.received);
            self.free.push(ticket.0);
        } else {
            self.advance(lane(&received), out);
        }
    }

    /// A receive that a matched probe had reserved is posted now.
    pub fn set_posted(&mut self, ticket: Ticket, received: Received, actual: Option<(RankId, i32)>) {
        let Some(entry) = self.entries.get_mut(ticket.0 as usize) else { return };
        entry.received = Received { from: entry.received.from, ..received };
        if let (Source::Open, Some((rank, tag))) = (entry.source, actual) {
            entry.source = Source::Known(rank, tag);
        }
    }

    /// What was posted, by its ticket.
    pub fn posted(&self, ticket: Ticket) -> Option<Received> {
        self.entries.get(ticket.0 as usize).map(|e| e.received)
    }

    /// The receive will take no message.
    pub fn cancel(&mut self, ticket: Ticket, out: &mut Vec<Received>) {
        let Some(entry) = self.entries.get_mut(ticket.0 as usize) else { return };
        if let Some((peer, tag, number)) = entry.received.from {
            // The last one to be numbered: the next one gets its message.
            let stream = Stream { comm: lane(&entry.received), peer: peer.0, tag };
            if let Some(next) = self.next.get_mut(&stream).filter(|next| **next == number + 1) {
                *next = number;
            }
            self.free.push(ticket.0);
            return;
        }
        entry.source = Source::Cancelled;
        entry.done = true;
        let lane = lane(&entry.received);
        self.advance(lane, out);
    }

    /// Numbers what can be numbered, and hands out what is complete.
    fn advance(&mut self, lane: u32, out: &mut Vec<Received>) {
        while let Some(&index) = self.waiting.get(&lane).and_then(VecDeque::front) {
            let entry = self.entries[index as usize];
            match entry.source {
                Source::Open => break,
                Source::Cancelled => self.free.push(index),
                Source::Known(..) if !entry.done => {
                    self.entries[index as usize].received.from = self.counted(&entry.received, entry.source);
                }
                Source::Known(..) | Source::Unknown => {
                    let numbered = self.number(entry.received, entry.source);
                    out.push(numbered);
                    self.free.push(index);
                }
            }
            if let Some(waiting) = self.waiting.get_mut(&lane) {
                waiting.pop_front();
            }
        }
    }

    fn number(&mut self, received: Received, source: Source) -> Received {
        Received { from: self.counted(&received, source), ..received }
    }

    fn counted(&mut self, received: &Received, source: Source) -> Option<(RankId, i32, u64)> {
        let Source::Known(rank, tag) = source else { return None };
        let stream = Stream { comm: lane(received), peer: rank.0, tag };
        let next = self.next.entry(stream).or_insert(0);
        *next += 1;
        Some((rank, tag, *next - 1))
    }

    /// Everything that was posted and did not complete.
    pub fn flush(&mut self, out: &mut Vec<Received>) {
        let mut is_free = vec![false; self.entries.len()];
        self.free.iter().for_each(|&i| is_free[i as usize] = true);
        let lanes: Vec<u32> = self.waiting.keys().copied().collect();
        // What stands behind an open one is counted as if that had taken nothing.
        for lane in lanes {
            for index in self.waiting.remove(&lane).unwrap_or_default() {
                let entry = self.entries[index as usize];
                is_free[index as usize] = true;
                let source = if entry.source == Source::Open { Source::Unknown } else { entry.source };
                if source != Source::Cancelled {
                    let numbered = self.number(entry.received, source);
                    out.push(numbered);
                }
            }
        }
        let left = self.entries.iter().zip(is_free).filter(|(_, free)| !free);
        out.extend(left.map(|(entry, _)| entry.received));
        self.entries.clear();
        self.free.clear();
    }
}

fn lane(received: &Received) -> u32 {
    received.comm.0 | if received.partitioned { PARTITIONED } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive(row: u64) -> Received {
        let end = End { row, done_row: row, ..End::default() };
        Received { comm: CommId(0), partitioned: false, from: None, tag: None, bytes: 8, flags: 0, end }
    }

    fn numbers(out: &[Received]) -> Vec<(u64, Option<(u32, i32, u64)>)> {
        out.iter().map(|r| (r.end.row, r.from.map(|(p, t, n)| (p.0, t, n)))).collect()
    }

    #[test]
    fn named_ones_are_numbered_at_once() {
        let (mut receives, mut out) = (Receives::default(), Vec::new());
        for row in 0..3 {
            receives.take(receive(row), Some((RankId(1), 7)), &mut out);
        }
        let a = receives.post(receive(3), Some((RankId(1), 7)));
        let b = receives.post(receive(4), Some((RankId(1), 7)));
        receives.complete(b, receive(4), None, &mut out);
        receives.complete(a, receive(3), None, &mut out);
        let wanted = [(0, 0), (1, 1), (2, 2), (4, 4), (3, 3)];
        assert_eq!(numbers(&out), wanted.map(|(row, n)| (row, Some((1, 7, n)))));
    }

    #[test]
    fn what_follows_a_wildcard_waits_for_it() {
        let (mut receives, mut out) = (Receives::default(), Vec::new());
        let any = receives.post(receive(0), None);
        let named = receives.post(receive(1), Some((RankId(1), 7)));
        receives.complete(named, receive(1), None, &mut out);
        receives.take(receive(2), Some((RankId(2), 7)), &mut out);
        assert!(out.is_empty());
        receives.complete(any, receive(0), Some((RankId(1), 7)), &mut out);
        assert_eq!(numbers(&out), [(0, Some((1, 7, 0))), (1, Some((1, 7, 1))), (2, Some((2, 7, 0)))]);
        assert_eq!(receives.free.len(), 3);
    }

    #[test]
    fn an_unknown_source_does_not_hold_up_others() {
        let (mut receives, mut out) = (Receives::default(), Vec::new());
        let any = receives.post(receive(0), None);
        let named = receives.post(receive(1), Some((RankId(1), 7)));
        receives.complete(any, receive(0), None, &mut out);
        receives.complete(named, receive(1), None, &mut out);
        assert_eq!(numbers(&out), [(0, None), (1, Some((1, 7, 0)))]);
    }

    #[test]
    fn cancelled_and_unfinished_ones() {
        let (mut receives, mut out) = (Receives::default(), Vec::new());
        let any = receives.post(receive(0), None);
        let named = receives.post(receive(1), Some((RankId(1), 7)));
        receives.cancel(any, &mut out);
        let last = receives.post(receive(9), Some((RankId(5), 7)));
        receives.cancel(last, &mut out);
        receives.post(receive(2), None);
        receives.post(receive(3), Some((RankId(1), 7)));
        receives.complete(named, receive(1), None, &mut out);
        receives.flush(&mut out);
        assert_eq!(numbers(&out), [(1, Some((1, 7, 0))), (2, None), (3, Some((1, 7, 1)))]);
    }
}
