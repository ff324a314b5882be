//! Two ranks and their buffers.

use mpiscope_mpi::{Mpi, Rank, Requests, Tag};

use crate::buffers::{ALIGN, buffer, pattern, stride};
use crate::error::BenchError;
use crate::pingpong::kinds::{self, KINDS, Kind};

const DATA: Tag = 7101;
const SIGNAL: Tag = 7102;
const CONTROL: Tag = 7103;
/// Messages in flight at once.
const MOST_WINDOW: usize = 64;
/// Bytes in flight at once, if a single message is not larger.
const WINDOW_BYTES: usize = 16 << 20;
/// Most operations before a batch that are not timed.
const WARM_UP: u64 = 3;
/// A partner's verdict: all bytes are right.
const RIGHT: u64 = u64::MAX;

/// What the partner has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Index in [`KINDS`].
    pub kind: u64,
    pub bytes: u64,
    /// 0: a probe for [`super::local_send`].
    pub operations: u64,
    /// Whether bytes are verified; of a probe, how long the partner sleeps, ms.
    pub verify: u64,
}

impl Control {
    /// Nothing more follows.
    pub const END: Control = Control { kind: u64::MAX, bytes: 0, operations: 1, verify: 0 };
}

/// One end of the pair.
pub struct Link<'a> {
    mpi: &'a Mpi,
    own: Rank,
    peer: Rank,
    out: Vec<u8>,
    into: Vec<u8>,
    requests: Requests,
    is_leader: bool,
}

impl<'a> Link<'a> {
    pub fn new(mpi: &'a Mpi, own: Rank, peer: Rank, most: usize) -> Result<Link<'a>, BenchError> {
        let room = WINDOW_BYTES.min((most + ALIGN) * MOST_WINDOW).max(most) + ALIGN;
        Ok(Link {
            mpi,
            own,
            peer,
            out: buffer(most)?,
            into: buffer(room)?,
            requests: mpi.requests(MOST_WINDOW + 2),
            is_leader: own < peer,
        })
    }

    /// Messages of this size in flight at once: the same on both sides.
    pub fn window(&self, bytes: usize) -> usize {
        (self.into.len() / stride(bytes)).clamp(1, MOST_WINDOW)
    }

    /// Tells the partner what to do.
    pub fn control(&mut self, control: &Control) -> Result<(), BenchError> {
        let mut message = [0; 32];
        for (to, word) in message.chunks_mut(8).zip([control.kind, control.bytes, control.operations, control.verify]) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        Ok(self.mpi.send(&message, self.peer, CONTROL)?)
    }

    pub fn controlled(&mut self) -> Result<Control, BenchError> {
        let mut message = [0; 32];
        self.mpi.recv(&mut message, self.peer, CONTROL)?;
        let mut words = message.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()));
        let mut next = || words.next().unwrap_or(0);
        Ok(Control { kind: next(), bytes: next(), operations: next(), verify: next() })
    }

    /// Times a batch: how many operations it had, and the time of one, ns. The operations before it are not timed: the caches still have the
    /// bytes of another place, and a batch of few long messages would measure that.
    pub fn lead(&mut self, kind: Kind, bytes: usize, operations: u64) -> Result<(u64, f64), BenchError> {
        let mut batch = |operations: u64| {
            let operations = kind.rounded(operations, self.window(bytes));
            self.control(&self.request(kind, bytes, operations, false))?;
            let time_ns = kinds::lead(self, kind, bytes, operations)?;
            Ok((operations, time_ns / operations as f64))
        };
        batch(operations.min(WARM_UP))?;
        batch(operations)
    }

    fn request(&self, kind: Kind, bytes: usize, operations: u64, verify: bool) -> Control {
        let kind = KINDS.iter().position(|&known| known == kind).unwrap_or(0) as u64;
        Control { kind, bytes: bytes as u64, operations, verify: verify.into() }
    }

    /// Does what a control message says.
    pub fn follow(&mut self, control: &Control) -> Result<(), BenchError> {
        let wrong = BenchError::Protocol { rank: self.peer };
        let (Some(&kind), bytes) = (KINDS.get(control.kind as usize), control.bytes as usize) else {
            return Err(wrong);
        };
        if bytes > self.out.len() {
            return Err(wrong);
        }
        if control.verify == 0 {
            return kinds::follow(self, kind, bytes, control.operations);
        }
        self.prepare(kind, bytes);
        kinds::follow(self, kind, bytes, control.operations)?;
        let verdict = self.first_wrong(kind, bytes, kind.arriving(self.window(bytes)).1).unwrap_or(RIGHT);
        Ok(self.mpi.send(&verdict.to_ne_bytes(), self.peer, CONTROL)?)
    }

    /// Moves every byte of this kind and size once and compares it with what was sent.
    pub fn verify(&mut self, kind: Kind, bytes: usize) -> Result<(), BenchError> {
        let operations = kind.rounded(1, self.window(bytes));
        self.control(&self.request(kind, bytes, operations, true))?;
        self.prepare(kind, bytes);
        kinds::lead(self, kind, bytes, operations)?;
        let own = self.first_wrong(kind, bytes, kind.arriving(self.window(bytes)).0);
        let mut verdict = [0; 8];
        self.mpi.recv(&mut verdict, self.peer, CONTROL)?;
        let verdict = u64::from_ne_bytes(verdict);
        let wrong = |from, to, at| BenchError::WrongBytes { series: kind.series().to_owned(), bytes, from, to, at };
        match own {
            Some(at) => Err(wrong(self.peer, self.own, at)),
            None if verdict != RIGHT => Err(wrong(self.own, self.peer, verdict)),
            None => Ok(()),
        }
    }

    /// Fills the buffers: what is sent has a pattern, what is received into has none of its bytes.
    fn prepare(&mut self, kind: Kind, bytes: usize) {
        let seed = seed(kind, self.is_leader);
        (0..bytes).for_each(|at| self.out[at] = pattern(seed, at));
        let seed = self::seed(kind, !self.is_leader);
        let stride = stride(bytes);
        let (at_leader, at_partner) = kind.arriving(self.window(bytes));
        for slot in 0..at_leader.max(at_partner) {
            (0..bytes).for_each(|at| self.into[slot * stride + at] = !pattern(seed, at));
        }
    }

    /// The first wrong byte of the messages that have arrived in the first `slots` slots.
    fn first_wrong(&self, kind: Kind, bytes: usize, slots: usize) -> Option<u64> {
        let seed = seed(kind, !self.is_leader);
        let stride = stride(bytes);
        let in_slot = |slot: usize| (0..bytes).find(|&at| self.into[slot * stride + at] != pattern(seed, at));
        (0..slots).find_map(in_slot).map(|at| at as u64)
    }

    pub fn send(&mut self, bytes: usize) -> Result<(), BenchError> {
        Ok(self.mpi.send(&self.out[..bytes], self.peer, DATA)?)
    }

    pub fn recv(&mut self, bytes: usize) -> Result<(), BenchError> {
        Ok(self.mpi.recv(&mut self.into[..bytes], self.peer, DATA)?)
    }

    pub fn recv_into(&mut self, bytes: usize, slot: usize) -> Result<(), BenchError> {
        let at = slot * stride(bytes);
        Ok(self.mpi.recv(&mut self.into[at..at + bytes], self.peer, DATA)?)
    }

    pub fn sendrecv(&mut self, bytes: usize) -> Result<(), BenchError> {
        Ok(self.mpi.sendrecv(&self.out[..bytes], &mut self.into[..bytes], self.peer, DATA)?)
    }

    pub fn isend(&mut self, bytes: usize) -> Result<(), BenchError> {
        // SAFETY: `out` is not changed before `waitall`, which every caller calls before it returns.
        Ok(unsafe { self.mpi.world().isend(self.out[..bytes].as_ptr(), bytes, self.peer, DATA, &mut self.requests) }?)
    }

    pub fn irecv(&mut self, bytes: usize, slot: usize) -> Result<(), BenchError> {
        let at = slot * stride(bytes);
        let buffer = self.into[at..at + bytes].as_mut_ptr();
        // SAFETY: each slot has one receive, and is not accessed before `waitall`.
        Ok(unsafe { self.mpi.world().irecv(buffer, bytes, self.peer, DATA, &mut self.requests) }?)
    }

    pub fn waitall(&mut self) -> Result<(), BenchError> {
        Ok(self.mpi.waitall(&mut self.requests)?)
    }

    /// Whether the only send is complete.
    pub fn test(&mut self) -> Result<bool, BenchError> {
        Ok(self.mpi.test(&mut self.requests)?)
    }

    /// An empty message.
    pub fn signal(&mut self) -> Result<(), BenchError> {
        Ok(self.mpi.send(&[], self.peer, SIGNAL)?)
    }

    /// The same, complete with the next `waitall`.
    pub fn isignal(&mut self) -> Result<(), BenchError> {
        // SAFETY: an empty buffer is never read.
        Ok(unsafe { self.mpi.world().isend(self.out.as_ptr(), 0, self.peer, SIGNAL, &mut self.requests) }?)
    }

    pub fn await_signal(&mut self) -> Result<(), BenchError> {
        Ok(self.mpi.recv(&mut [], self.peer, SIGNAL)?)
    }
}

fn seed(kind: Kind, from_leader: bool) -> u32 {
    0x9e37 + 2 * kind as u32 + u32::from(from_leader)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_differ() {
        let text = |seed: u32, from: usize| (from..from + 4096).map(|at| pattern(seed, at)).collect::<Vec<_>>();
        let a = text(seed(Kind::PingPong, true), 0);
        assert_ne!(a, text(seed(Kind::PingPong, false), 0));
        assert_ne!(a, text(seed(Kind::Exchange, true), 0));
        assert_ne!(a, text(seed(Kind::PingPong, true), 4096));
        assert!(a.iter().collect::<std::collections::BTreeSet<_>>().len() > 200);
    }
}
