//! One exchange of all ranks of a communicator with their neighbours, by each method.

use std::ops::Range;

use mpiscope_mpi::{Comm, Mpi, MpiError, Partitioned, Persistent, Rank, Requests, Rma, Tag};

use super::grid::{Grid, Stencil};
use super::method::Method;
use super::onesided::{Access, OneSided};
use crate::buffers::{buffer, pattern, stride};
use crate::error::BenchError;

/// The first tag; each step has its own, as the same rank may be the neighbour in two directions.
const TAG: Tag = 7300;
/// Of both directions of all steps.
const MOST_REQUESTS: usize = 2 * 26;
/// Parts of a partitioned message, if they divide it.
const PARTITIONS: usize = 4;

/// One step: a message to one neighbour, and one from the opposite neighbour.
pub struct Step {
    pub to: Option<Rank>,
    pub from: Option<Rank>,
    pub sends_first: bool,
}

/// The steps of a rank.
pub fn steps(grid: &Grid, stencil: Stencil, rank: Rank) -> Vec<Step> {
    let steps = stencil.steps();
    let place = grid.place(rank);
    let step = |(step, opposite): (&Vec<i32>, &Vec<i32>)| {
        let (to, from) = (grid.neighbour(rank, step), grid.neighbour(rank, opposite));
        // Along a dimension in which the grid has only one place, a step leads nowhere or along another one.
        let along = (0..step.len()).find(|&at| step[at] != 0 && grid.dims[at] > 1).unwrap_or(0);
        Step { to, from, sends_first: place[along] % 2 == 0 }
    };
    steps.iter().zip(steps.iter().rev()).map(step).collect()
}

/// The neighbours to which a rank sends and from which it receives, each in the order of the steps: of two messages between the same
/// ranks, MPI matches the first with the first.
pub fn partners(steps: &[Step]) -> (Vec<Rank>, Vec<Rank>) {
    (steps.iter().filter_map(|step| step.from).collect(), steps.iter().filter_map(|step| step.to).collect())
}

/// Buffers for messages of all steps.
pub struct Buffers {
    out: Vec<u8>,
    into: Vec<u8>,
    requests: Requests,
}

impl Buffers {
    pub fn new(mpi: &Mpi, steps: usize, most: usize) -> Result<Buffers, BenchError> {
        let room = steps * stride(most);
        Ok(Buffers { out: buffer(room)?, into: buffer(room)?, requests: mpi.requests(MOST_REQUESTS) })
    }
}

/// The buffers of an exchange: for each step a slot of `bytes` in both.
pub struct Slots<'a> {
    pub out: &'a [u8],
    pub into: &'a mut [u8],
    pub requests: &'a mut Requests,
    bytes: usize,
}

impl Slots<'_> {
    pub fn range(&self, at: usize) -> Range<usize> {
        slot(at, self.bytes)
    }
}

fn slot(at: usize, bytes: usize) -> Range<usize> {
    let begin = at * stride(bytes);
    begin..begin + bytes
}

/// What looks at the sends of an exchange.
pub trait Watch {
    /// Makes a blocking send.
    fn send(&mut self, to: Rank, send: impl FnOnce() -> Result<(), BenchError>) -> Result<(), BenchError>;
    /// A non-blocking send begins.
    fn begun(&mut self, to: Rank);
    /// Waits for all requests. Those of the sends are the ones from `first` on, in the order in which they began.
    fn wait(&mut self, mpi: &Mpi, requests: &mut Requests, first: usize) -> Result<(), BenchError>;
}

/// Nothing does: the exchange is as fast as without.
struct NotWatched;

impl Watch for NotWatched {
    #[inline]
    fn send(&mut self, _: Rank, send: impl FnOnce() -> Result<(), BenchError>) -> Result<(), BenchError> {
        send()
    }

    #[inline]
    fn begun(&mut self, _: Rank) {}

    #[inline]
    fn wait(&mut self, mpi: &Mpi, requests: &mut Requests, _: usize) -> Result<(), BenchError> {
        Ok(mpi.waitall(requests)?)
    }
}

/// What is made once for many exchanges.
enum Prepared<'a> {
    Nothing,
    Persistent(Persistent),
    Partitioned(Partitioned<'a>),
    OneSided(OneSided<'a>),
}

/// What one rank does in an exchange of messages of one size.
pub struct Exchange<'a> {
    method: Method,
    pub bytes: usize,
    mpi: &'a Mpi,
    comm: Comm<'a>,
    rank: Rank,
    steps: &'a [Step],
    prepared: Prepared<'a>,
    window: Option<(Access, &'a Rma<'a>)>,
    /// Counts and places of what is sent and received.
    sent: (Vec<i32>, Vec<i32>),
    received: (Vec<i32>, Vec<i32>),
}

impl<'a> Exchange<'a> {
    pub fn new(
        mpi: &'a Mpi,
        (comm, rank): (Comm<'a>, Rank),
        steps: &'a [Step],
        method: Method,
        bytes: usize,
    ) -> Exchange<'a> {
        let listed = |has: fn(&Step) -> bool| {
            let places: Vec<i32> = (0..steps.len())
                .filter(|&at| has(&steps[at]))
                .map(|at| i32::try_from(at * stride(bytes)).unwrap_or(i32::MAX))
                .collect();
            (vec![bytes as i32; places.len()], places)
        };
        let (sent, received) = (listed(|step| step.to.is_some()), listed(|step| step.from.is_some()));
        Exchange { method, bytes, mpi, comm, rank, steps, prepared: Prepared::Nothing, window: None, sent, received }
    }

    /// The same through a window, if the method needs one.
    pub fn with_window(self, window: Option<(Access, &'a Rma<'a>)>) -> Exchange<'a> {
        Exchange { window, ..self }
    }

    /// Steps, with or without a message.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Whether this rank has a neighbour.
    pub fn is_idle(&self) -> bool {
        self.sent.0.is_empty() && self.received.0.is_empty()
    }

    /// Makes what is made once.
    ///
    /// # Safety
    /// The buffers are not freed or moved before [`Exchange::free`].
    pub unsafe fn prepare(&mut self, buffers: &mut Buffers) -> Result<(), BenchError> {
        if !matches!(self.prepared, Prepared::Nothing) {
            return Ok(());
        }
        self.prepared = match (self.method, self.window) {
            // SAFETY: the caller's.
            (Method::Persistent, _) => Prepared::Persistent(unsafe { self.persistent(buffers) }?),
            (Method::PersistentNeighbor, _) => {
                let mut requests = self.mpi.persistent(1);
                let out = (buffers.out.as_ptr(), &*self.sent.0, &*self.sent.1);
                let into = (buffers.into.as_mut_ptr(), &*self.received.0, &*self.received.1);
                // SAFETY: the caller's; all places are within the buffers, and the arrays live as long as the request.
                unsafe { self.comm.neighbor_alltoallv_init(out, into, &mut requests) }?;
                Prepared::Persistent(requests)
            }
            // SAFETY: the caller's.
            (Method::Partitioned, _) => Prepared::Partitioned(unsafe { self.partitioned(buffers) }?),
            (_, Some(window)) => Prepared::OneSided(OneSided::new(window, self.steps)?),
            _ => Prepared::Nothing,
        };
        Ok(())
    }

    /// # Safety
    /// As for [`Exchange::prepare`].
    unsafe fn persistent(&self, buffers: &mut Buffers) -> Result<Persistent, MpiError> {
        let mut requests = self.mpi.persistent(MOST_REQUESTS);
        for (at, step) in self.steps.iter().enumerate() {
            let (slot, tag) = (self.slot(at), TAG + at as Tag);
            if let Some(from) = step.from {
                let into = buffers.into[slot.clone()].as_mut_ptr();
                // SAFETY: the caller's; slots do not overlap.
                unsafe { self.comm.recv_init(into, self.bytes, from, tag, &mut requests) }?;
            }
            if let Some(to) = step.to {
                let out = buffers.out[slot].as_ptr();
                // SAFETY: as above.
                unsafe { self.comm.send_init(out, self.bytes, to, tag, &mut requests) }?;
            }
        }
        Ok(requests)
    }

    /// # Safety
    /// As for [`Exchange::prepare`].
    unsafe fn partitioned(&self, buffers: &mut Buffers) -> Result<Partitioned<'a>, MpiError> {
        let parts = if self.bytes.is_multiple_of(PARTITIONS) { PARTITIONS } else { 1 };
        let (partitions, bytes) = (parts as i32, self.bytes / parts);
        let mut messages = self.mpi.partitioned(MOST_REQUESTS)?;
        for (at, step) in self.steps.iter().enumerate() {
            let (slot, tag) = (self.slot(at), TAG + at as Tag);
            if let Some(from) = step.from {
                let into = buffers.into[slot.clone()].as_mut_ptr();
                // SAFETY: the caller's; slots do not overlap.
                unsafe { messages.receive(self.comm, (into, partitions, bytes), from, tag) }?;
            }
            if let Some(to) = step.to {
                let out = buffers.out[slot].as_ptr();
                // SAFETY: as above.
                unsafe { messages.send(self.comm, (out, partitions, bytes), to, tag) }?;
            }
        }
        Ok(messages)
    }

    pub fn free(&mut self) -> Result<(), BenchError> {
        match std::mem::replace(&mut self.prepared, Prepared::Nothing) {
            Prepared::Nothing => {}
            Prepared::Persistent(requests) => self.mpi.free(requests)?,
            Prepared::Partitioned(messages) => messages.free()?,
            Prepared::OneSided(one_sided) => one_sided.free()?,
        }
        Ok(())
    }

    fn one_sided(&self) -> Option<&OneSided<'a>> {
        if let Prepared::OneSided(one_sided) = &self.prepared { Some(one_sided) } else { None }
    }

    /// Before exchanges: what is not part of their time.
    pub fn begin(&self) -> Result<(), BenchError> {
        Ok(self.one_sided().map_or(Ok(()), OneSided::begin)?)
    }

    /// After them.
    pub fn end(&self) -> Result<(), BenchError> {
        Ok(self.one_sided().map_or(Ok(()), OneSided::end)?)
    }

    /// Exchanges all messages once.
    pub fn exchange(&mut self, buffers: &mut Buffers) -> Result<(), BenchError> {
        self.exchange_watched(buffers, &mut NotWatched)
    }

    /// The same, while the sends of [`Method::SendIrecv`], [`Method::IsendIrecv`] and [`Method::Phased`] are watched.
    #[inline]
    pub fn exchange_watched(&mut self, buffers: &mut Buffers, watch: &mut impl Watch) -> Result<(), BenchError> {
        match self.method {
            Method::SendIrecv => {
                self.receive_all(buffers)?;
                for (at, step) in self.steps.iter().enumerate() {
                    if let Some(to) = step.to {
                        watch.send(to, || self.send(buffers, at, to))?;
                    }
                }
                Ok(self.mpi.waitall(&mut buffers.requests)?)
            }
            Method::IsendIrecv => {
                self.receive_all(buffers)?;
                let first = buffers.requests.count();
                self.send_all(buffers, watch)?;
                watch.wait(self.mpi, &mut buffers.requests, first)
            }
            Method::Sendrecv => {
                for (at, step) in self.steps.iter().enumerate() {
                    let slot = self.slot(at);
                    let (out, into) = (&buffers.out[slot.clone()], &mut buffers.into[slot]);
                    self.comm.sendrecv(out, step.to, into, step.from, TAG + at as Tag)?;
                }
                Ok(())
            }
            Method::Phased => {
                for (at, step) in self.steps.iter().enumerate() {
                    for is_send in [step.sends_first, !step.sends_first] {
                        match (is_send, step.to, step.from) {
                            (true, Some(to), _) => watch.send(to, || self.send(buffers, at, to))?,
                            (false, _, Some(from)) => {
                                let slot = self.slot(at);
                                self.comm.recv(&mut buffers.into[slot], from, TAG + at as Tag)?;
                            }
                            _ => {}
                        }
                    }
                }
                Ok(())
            }
            Method::Persistent
            | Method::PersistentNeighbor
            | Method::Partitioned
            | Method::OneSided(..)
            | Method::SharedLoad => self.exchange_prepared(buffers),
            Method::NeighborAlltoallv => Ok(self.comm.neighbor_alltoallv(
                (&buffers.out, &self.sent.0, &self.sent.1),
                (&mut buffers.into, &self.received.0, &self.received.1),
            )?),
        }
    }

    fn exchange_prepared(&mut self, buffers: &mut Buffers) -> Result<(), BenchError> {
        match &mut self.prepared {
            Prepared::Nothing => {}
            Prepared::Persistent(requests) => self.mpi.run(requests)?,
            Prepared::Partitioned(messages) => messages.run()?,
            Prepared::OneSided(one_sided) => {
                let Buffers { out, into, requests } = buffers;
                one_sided.exchange(
                    self.mpi,
                    self.comm,
                    self.steps,
                    &mut Slots { out, into, requests, bytes: self.bytes },
                )?;
            }
        }
        Ok(())
    }

    fn slot(&self, at: usize) -> Range<usize> {
        slot(at, self.bytes)
    }

    fn send(&self, buffers: &Buffers, at: usize, to: Rank) -> Result<(), BenchError> {
        Ok(self.comm.send(&buffers.out[self.slot(at)], to, TAG + at as Tag)?)
    }

    /// Starts all receives.
    fn receive_all(&self, buffers: &mut Buffers) -> Result<(), BenchError> {
        for (at, step) in self.steps.iter().enumerate() {
            let Some(from) = step.from else { continue };
            let into = buffers.into[self.slot(at)].as_mut_ptr();
            // SAFETY: slots do not overlap, and nothing else accesses the buffer before the requests are complete.
            unsafe { self.comm.irecv(into, self.bytes, from, TAG + at as Tag, &mut buffers.requests) }?;
        }
        Ok(())
    }

    /// Starts all sends.
    fn send_all(&self, buffers: &mut Buffers, watch: &mut impl Watch) -> Result<(), BenchError> {
        for (at, step) in self.steps.iter().enumerate() {
            let Some(to) = step.to else { continue };
            watch.begun(to);
            let out = buffers.out[self.slot(at)].as_ptr();
            // SAFETY: nothing writes to the buffer before the requests are complete.
            unsafe { self.comm.isend(out, self.bytes, to, TAG + at as Tag, &mut buffers.requests) }?;
        }
        Ok(())
    }

    /// Fills the buffers and the window: what is sent has a pattern, what is received into has none of its bytes.
    pub fn fill(&self, buffers: &mut Buffers, salt: u32) -> Result<(), BenchError> {
        for (at, step) in self.steps.iter().enumerate() {
            let begin = self.slot(at).start;
            for byte in 0..self.bytes {
                buffers.out[begin + byte] = pattern(seed(salt, self.rank, at), byte);
                buffers.into[begin + byte] = step.from.map_or(0, |from| !pattern(seed(salt, from, at), byte));
            }
        }
        if let Some(one_sided) = self.one_sided() {
            let from = if one_sided.has_received() { &buffers.into } else { &buffers.out };
            for slot in (0..self.steps.len()).map(|at| self.slot(at)) {
                one_sided.window().store(&from[slot.clone()], slot.start)?;
            }
        }
        Ok(())
    }

    /// The first wrong byte after an exchange.
    pub fn check(&self, buffers: &mut Buffers, salt: u32, series: &str) -> Result<(), BenchError> {
        if let Some(one_sided) = self.one_sided().filter(|one_sided| one_sided.has_received()) {
            for slot in (0..self.steps.len()).map(|at| self.slot(at)) {
                one_sided.window().load(&mut buffers.into[slot.clone()], slot.start)?;
            }
        }
        for (at, step) in self.steps.iter().enumerate() {
            let Some(from) = step.from else { continue };
            let message = &buffers.into[self.slot(at)];
            let seed = seed(salt, from, at);
            if let Some(wrong) = (0..self.bytes).find(|&byte| message[byte] != pattern(seed, byte)) {
                let (series, bytes) = (series.to_owned(), self.bytes);
                return Err(BenchError::WrongBytes { series, bytes, from, to: self.rank, at: wrong as u64 });
            }
        }
        Ok(())
    }
}

fn seed(salt: u32, sender: Rank, step: usize) -> u32 {
    (salt << 16) ^ ((sender as u32) << 5) ^ step as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::halo::grid::STENCILS;

    /// Runs the phased exchange of all ranks with sends that wait for their receives: true if it ends.
    fn ends(all: &[Vec<Step>]) -> bool {
        // Of each rank: its operations in order, as (is a send, step, peer).
        let operations: Vec<Vec<(bool, usize, Rank)>> = all
            .iter()
            .map(|steps| {
                let of_step = |(at, step): (usize, &Step)| {
                    let (send, receive) = (step.to.map(|to| (true, at, to)), step.from.map(|from| (false, at, from)));
                    let order = if step.sends_first { [send, receive] } else { [receive, send] };
                    order.into_iter().flatten().collect::<Vec<_>>()
                };
                steps.iter().enumerate().flat_map(of_step).collect()
            })
            .collect();
        let mut next = vec![0; all.len()];
        loop {
            let mut moved = false;
            for rank in 0..all.len() {
                let Some(&(true, at, to)) = operations[rank].get(next[rank]) else { continue };
                if operations[to as usize].get(next[to as usize]) == Some(&(false, at, rank as Rank)) {
                    next[rank] += 1;
                    next[to as usize] += 1;
                    moved = true;
                }
            }
            if !moved {
                return next.iter().zip(&operations).all(|(next, operations)| *next == operations.len());
            }
        }
    }

    #[test]
    fn the_phased_exchange_needs_no_buffer() {
        for ranks in [2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 27] {
            for (stencil, is_periodic) in STENCILS.into_iter().flat_map(|s| [(s, true), (s, false)]) {
                let grid = Grid::of(ranks, stencil.dimensions(), is_periodic);
                let all: Vec<Vec<Step>> = (0..ranks).map(|rank| steps(&grid, stencil, rank)).collect();
                assert!(ends(&all), "{grid:?} {stencil:?}");
                // If all send first, it does not end.
                let greedy =
                    all.into_iter().map(|steps| steps.into_iter().map(|s| Step { sends_first: true, ..s }).collect());
                assert!(!is_periodic || !ends(&greedy.collect::<Vec<_>>()), "{grid:?} {stencil:?}");
            }
        }
    }

    #[test]
    fn what_is_sent_is_received() {
        let grid = Grid::of(12, 2, true);
        let all: Vec<Vec<Step>> = (0..12).map(|rank| steps(&grid, Stencil::Eight, rank)).collect();
        for (rank, own) in all.iter().enumerate() {
            for (at, step) in own.iter().enumerate() {
                let Some(to) = step.to else { continue };
                assert_eq!(all[to as usize][at].from, Some(rank as Rank));
            }
            let (sources, destinations) = partners(own);
            assert_eq!((sources.len(), destinations.len()), (8, 8));
        }
    }

    #[test]
    fn messages_differ() {
        let seeds: std::collections::BTreeSet<u32> =
            (0..16).flat_map(|rank| (0..26).map(move |step| seed(3, rank, step))).collect();
        assert_eq!(seeds.len(), 16 * 26);
    }
}
