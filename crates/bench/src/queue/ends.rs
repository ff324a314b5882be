//! Both ends of the pair: a long queue at the leader, and round trips through it.

use std::time::{Duration, Instant};

use mpiscope_mpi::{Mpi, Requests, Tag};

use crate::buffers::{buffer, pattern};
use crate::error::BenchError;
use crate::pairwise::End;

/// What fills the queue. It never matches [`TRIP`].
const FILLER: Tag = 7401;
/// The messages that are timed.
const TRIP: Tag = 7402;
/// The longest queue.
pub const MOST: usize = 4096;
/// Bytes of a message that is timed, and of one that fills a queue.
pub const SMALL: usize = 8;
/// The largest filler.
pub const LARGE: usize = 4096;
/// Different messages that follow each other: a prime.
const PATTERNS: usize = 251;

/// Which queue is long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Receives that wait for messages.
    Posted,
    /// Messages that came before their receives.
    Unexpected,
}

pub const QUEUES: [Queue; 2] = [Queue::Posted, Queue::Unexpected];

impl Queue {
    /// Stable name of the series.
    pub fn series(self) -> &'static str {
        match self {
            Queue::Posted => "posted",
            Queue::Unexpected => "unexpected",
        }
    }

    /// The head of its column.
    pub fn head(self) -> &'static str {
        match self {
            Queue::Posted => "posted receives",
            Queue::Unexpected => "unexpected messages",
        }
    }
}

/// One end.
pub struct Ends<'a> {
    pub mpi: &'a Mpi,
    pub end: End,
    pub requests: Requests,
    /// A message after each other, with different bytes; where receives are posted, a slot for each.
    fillers: Vec<u8>,
}

impl<'a> Ends<'a> {
    pub fn new(mpi: &'a Mpi, end: End) -> Result<Ends<'a>, BenchError> {
        let room = (MOST * SMALL).max(PATTERNS * LARGE);
        Ok(Ends { mpi, end, requests: mpi.requests(MOST), fillers: buffer(room)? })
    }

    /// Fills the leader's queue, makes `trips` round trips through it, and empties it. Returns the time of the trips.
    pub fn through(&mut self, queue: Queue, depth: usize, trips: u64) -> Result<Duration, BenchError> {
        match (queue, self.end.is_leader) {
            (Queue::Posted, true) => self.post(depth)?,
            (Queue::Posted, false) => {}
            (Queue::Unexpected, true) => {}
            (Queue::Unexpected, false) => {
                self.fill();
                self.send_fillers(0..depth, SMALL)?;
            }
        }
        // Messages do not overtake each other: when this trip is over, all fillers have arrived.
        self.trip()?;
        let begun = Instant::now();
        for _ in 0..trips {
            self.trip()?;
        }
        let time = begun.elapsed();
        match (queue, self.end.is_leader) {
            (Queue::Posted, true) => {
                self.mpi.waitall(&mut self.requests)?;
                (0..depth).try_for_each(|at| self.check(at, at * SMALL, SMALL, queue))?;
            }
            (Queue::Posted, false) => {
                self.fill();
                self.send_fillers(0..depth, SMALL)?;
                self.mpi.waitall(&mut self.requests)?;
            }
            (Queue::Unexpected, true) => self.empty(depth, SMALL)?,
            (Queue::Unexpected, false) => self.mpi.waitall(&mut self.requests)?,
        }
        Ok(time)
    }

    /// A small message from the leader to its partner and back.
    pub fn trip(&mut self) -> Result<(), BenchError> {
        let (peer, mut message) = (self.end.peer, [0; SMALL]);
        if self.end.is_leader {
            self.mpi.send(&message, peer, TRIP)?;
            Ok(self.mpi.recv(&mut message, peer, TRIP)?)
        } else {
            self.mpi.recv(&mut message, peer, TRIP)?;
            Ok(self.mpi.send(&message, peer, TRIP)?)
        }
    }

    fn post(&mut self, depth: usize) -> Result<(), BenchError> {
        for at in 0..depth {
            let slot = &mut self.fillers[at * SMALL..][..SMALL];
            slot.fill(0);
            // SAFETY: each receive has a slot of its own, which is not accessed before `waitall`.
            unsafe { self.mpi.world().irecv(slot.as_mut_ptr(), SMALL, self.end.peer, FILLER, &mut self.requests)? };
        }
        Ok(())
    }

    /// What the partner sends.
    pub fn fill(&mut self) {
        for (seed, slot) in self.fillers.chunks_exact_mut(LARGE).enumerate() {
            slot.iter_mut().enumerate().for_each(|(at, byte)| *byte = pattern(seed as u32, at));
        }
    }

    /// Starts to send fillers, which [`Ends::fill`] has prepared. `waitall` completes them.
    pub fn send_fillers(&mut self, which: std::ops::Range<usize>, bytes: usize) -> Result<(), BenchError> {
        for at in which {
            let message = &self.fillers[at % PATTERNS * LARGE..][..bytes];
            // SAFETY: the buffer does not change before the sends are complete.
            unsafe { self.mpi.world().isend(message.as_ptr(), bytes, self.end.peer, FILLER, &mut self.requests)? };
        }
        Ok(())
    }

    /// Receives so many unexpected messages at the leader.
    pub fn empty(&mut self, depth: usize, bytes: usize) -> Result<(), BenchError> {
        for at in 0..depth {
            self.mpi.recv(&mut self.fillers[..bytes], self.end.peer, FILLER)?;
            self.check(at, 0, bytes, Queue::Unexpected)?;
        }
        Ok(())
    }

    /// Whether the filler number `at` is what was received at this place.
    fn check(&self, at: usize, place: usize, bytes: usize, queue: Queue) -> Result<(), BenchError> {
        let seed = (at % PATTERNS) as u32;
        match self.fillers[place..][..bytes].iter().enumerate().position(|(at, &byte)| byte != pattern(seed, at)) {
            None => Ok(()),
            Some(wrong) => Err(BenchError::WrongBytes {
                series: queue.series().to_owned(),
                bytes,
                from: self.end.peer,
                to: self.end.own,
                at: wrong as u64,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_follow_each_other_differ() {
        let message = |seed: u32| (0..SMALL).map(|at| pattern(seed, at)).collect::<Vec<_>>();
        let all: Vec<Vec<u8>> = (0..PATTERNS as u32).map(message).collect();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
