//! The order in which a rank's receives take messages.
//!
//! The k-th message of a sender with a tag goes to the k-th receive, *in order of posting*, with this sender and tag. A receive
//! with both as arguments is known at once. A wildcard receive must complete first; receives posted after it on the same
//! communicator cannot be counted before.

use std::collections::VecDeque;

use mpiscope_store::{CommId, End, flags};
use rustc_hash::FxHashMap;

use crate::streams::{NO_NUMBER, Numbers, PARTITIONED, Stream};

/// A receive that has received its message, or never did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    /// Number of its stream; [`NO_NUMBER`] when neither arguments nor status say source and tag.
    pub stream: u32,
    pub comm: CommId,
    /// Which message of the stream.
    pub sequence: u64,
    pub bytes: u64,
    /// Tag asked for, `NONE` for any; counts when the stream is not known.
    pub tag: i32,
    pub flags: u16,
    pub end: End,
}

impl Received {
    /// Communicator as in [`Stream::comm`].
    pub fn lane(&self) -> u32 {
        self.comm.0 | if self.flags & flags::PARTITIONED != 0 { PARTITIONED } else { 0 }
    }
}

/// The known source of a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Open,
    /// The stream it belongs to.
    Known(u32),
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
    /// Streams, and how many messages of each were taken.
    pub streams: Numbers<Stream>,
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// By communicator: receives whose number is not known yet, in order of posting.
    waiting: Vec<VecDeque<u32>>,
    lanes: FxHashMap<u32, usize>,
    /// The communicator looked up last, and its place in `waiting`.
    last_lane: Option<(u32, usize)>,
}

/// Handle of a posted receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u32);

impl Receives {
    fn lane(&mut self, comm: u32) -> usize {
        if let Some((last, lane)) = self.last_lane
            && last == comm
        {
            return lane;
        }
        let waiting = &mut self.waiting;
        let lane = *self.lanes.entry(comm).or_insert_with(|| {
            waiting.push(VecDeque::new());
            waiting.len() - 1
        });
        self.last_lane = Some((comm, lane));
        lane
    }

    /// A blocking receive, complete at once; `actual` is the stream that its status or its arguments say.
    pub fn add_completed(&mut self, mut received: Received, actual: Option<u32>, out: &mut Vec<Received>) {
        let lane = self.lane(received.lane());
        if self.waiting[lane].is_empty() {
            self.number(&mut received, actual);
            out.push(received);
        } else {
            let ticket = self.post(received, actual);
            self.complete(ticket, actual, out);
        }
    }

    /// A receive is posted; `named` is its stream if it names source and tag.
    pub fn post(&mut self, mut received: Received, named: Option<u32>) -> Ticket {
        let lane = self.lane(received.lane());
        let is_next = named.is_some() && self.waiting[lane].is_empty();
        if is_next {
            self.number(&mut received, named);
        }
        let entry = Entry { source: named.map_or(Source::Open, Source::Known), done: false, received };
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
        if !is_next {
            self.waiting[lane].push_back(index);
        }
        Ticket(index)
    }

    /// What was posted, to be changed by what its completion says. Stream and sequence stay.
    pub fn posted(&mut self, ticket: Ticket) -> Option<&mut Received> {
        self.entries.get_mut(ticket.0 as usize).map(|e| &mut e.received)
    }

    /// A posted receive has completed; `actual` is the stream that its status says.
    pub fn complete(&mut self, ticket: Ticket, actual: Option<u32>, out: &mut Vec<Received>) {
        let Some(entry) = self.entries.get_mut(ticket.0 as usize) else { return };
        entry.done = true;
        if entry.received.stream != NO_NUMBER {
            out.push(entry.received);
            self.free.push(ticket.0);
            return;
        }
        match actual {
            Some(stream) => entry.source = Source::Known(stream),
            None if entry.source == Source::Open => entry.source = Source::Unknown,
            None => {}
        }
        let comm = entry.received.lane();
        self.advance(comm, out);
    }

    /// A receive that a matched probe had reserved is posted now.
    pub fn set_posted(&mut self, ticket: Ticket, received: Received, actual: Option<u32>) {
        let Some(entry) = self.entries.get_mut(ticket.0 as usize) else { return };
        let Received { stream, sequence, .. } = entry.received;
        entry.received = Received { stream, sequence, ..received };
        if let (Source::Open, Some(stream)) = (entry.source, actual) {
            entry.source = Source::Known(stream);
        }
    }

    /// The receive will take no message.
    pub fn cancel(&mut self, ticket: Ticket, out: &mut Vec<Received>) {
        let Some(entry) = self.entries.get_mut(ticket.0 as usize) else { return };
        let Received { stream, sequence, .. } = entry.received;
        if stream != NO_NUMBER {
            // If it is the last one that was numbered, the next one gets its message.
            self.streams.take_back(stream, sequence);
            self.free.push(ticket.0);
            return;
        }
        entry.source = Source::Cancelled;
        entry.done = true;
        let comm = entry.received.lane();
        self.advance(comm, out);
    }

    /// Numbers what can be numbered, and hands out what is complete.
    fn advance(&mut self, comm: u32, out: &mut Vec<Received>) {
        let lane = self.lane(comm);
        while let Some(&index) = self.waiting[lane].front() {
            let Entry { source, done, mut received } = self.entries[index as usize];
            match source {
                Source::Open => break,
                Source::Cancelled => self.free.push(index),
                Source::Known(stream) if !done => {
                    self.number(&mut received, Some(stream));
                    self.entries[index as usize].received = received;
                }
                Source::Known(stream) => {
                    self.number(&mut received, Some(stream));
                    out.push(received);
                    self.free.push(index);
                }
                Source::Unknown => {
                    out.push(received);
                    self.free.push(index);
                }
            }
            self.waiting[lane].pop_front();
        }
    }

    #[inline]
    fn number(&mut self, received: &mut Received, stream: Option<u32>) {
        if let Some(stream) = stream {
            (received.stream, received.sequence) = (stream, self.streams.count(stream));
        }
    }

    /// Everything that was posted and did not complete.
    pub fn flush(&mut self, out: &mut Vec<Received>) {
        let mut is_free = vec![false; self.entries.len()];
        self.free.iter().for_each(|&i| is_free[i as usize] = true);
        // What stands behind an open one is counted as if that had taken nothing.
        for lane in std::mem::take(&mut self.waiting) {
            for index in lane {
                let Entry { source, mut received, .. } = self.entries[index as usize];
                is_free[index as usize] = true;
                match source {
                    Source::Known(stream) => {
                        self.number(&mut received, Some(stream));
                        out.push(received);
                    }
                    Source::Open | Source::Unknown => out.push(received),
                    Source::Cancelled => {}
                }
            }
        }
        let left = self.entries.iter().zip(is_free).filter(|(_, free)| !free);
        out.extend(left.map(|(entry, _)| entry.received));
        self.entries.clear();
        self.free.clear();
        self.lanes.clear();
        self.last_lane = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive(row: u64) -> Received {
        let end = End { row, done_row: row, ..End::default() };
        Received { stream: NO_NUMBER, comm: CommId(0), sequence: 0, bytes: 8, tag: 0, flags: 0, end }
    }

    /// Receives with streams from rank 1 (number 0) and from rank 2 (number 1).
    fn receives() -> Receives {
        let mut receives = Receives::default();
        for peer in [1, 2] {
            receives.streams.number_of(Stream { comm: 0, peer, tag: 7 });
        }
        receives
    }

    /// Row, stream, sequence.
    fn numbers(out: &[Received]) -> Vec<(u64, Option<(u32, u64)>)> {
        out.iter().map(|r| (r.end.row, (r.stream != NO_NUMBER).then_some((r.stream, r.sequence)))).collect()
    }

    #[test]
    fn named_ones_are_numbered_at_once() {
        let (mut receives, mut out) = (receives(), Vec::new());
        for row in 0..3 {
            receives.add_completed(receive(row), Some(0), &mut out);
        }
        let a = receives.post(receive(3), Some(0));
        let b = receives.post(receive(4), Some(0));
        receives.complete(b, None, &mut out);
        receives.complete(a, None, &mut out);
        let wanted = [(0, 0), (1, 1), (2, 2), (4, 4), (3, 3)];
        assert_eq!(numbers(&out), wanted.map(|(row, n)| (row, Some((0, n)))));
    }

    #[test]
    fn what_follows_a_wildcard_waits_for_it() {
        let (mut receives, mut out) = (receives(), Vec::new());
        let any = receives.post(receive(0), None);
        let named = receives.post(receive(1), Some(0));
        receives.complete(named, None, &mut out);
        receives.add_completed(receive(2), Some(1), &mut out);
        assert!(out.is_empty());
        receives.complete(any, Some(0), &mut out);
        assert_eq!(numbers(&out), [(0, Some((0, 0))), (1, Some((0, 1))), (2, Some((1, 0)))]);
        assert_eq!(receives.free.len(), 3);
    }

    #[test]
    fn an_unknown_source_does_not_hold_up_others() {
        let (mut receives, mut out) = (receives(), Vec::new());
        let any = receives.post(receive(0), None);
        let named = receives.post(receive(1), Some(0));
        receives.complete(any, None, &mut out);
        receives.complete(named, None, &mut out);
        assert_eq!(numbers(&out), [(0, None), (1, Some((0, 0)))]);
    }

    #[test]
    fn cancelled_and_unfinished_ones() {
        let (mut receives, mut out) = (receives(), Vec::new());
        let any = receives.post(receive(0), None);
        let named = receives.post(receive(1), Some(0));
        receives.cancel(any, &mut out);
        let last = receives.post(receive(9), Some(1));
        receives.cancel(last, &mut out);
        receives.post(receive(2), None);
        receives.post(receive(3), Some(0));
        receives.complete(named, None, &mut out);
        receives.flush(&mut out);
        assert_eq!(numbers(&out), [(1, Some((0, 0))), (2, None), (3, Some((0, 1)))]);
    }
}
