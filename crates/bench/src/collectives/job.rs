//! What the ways of an operation use: the functions, the neighbours of this rank, and buffers.

use std::cell::RefCell;

use mpiscope_mpi::{Collectives, Comm, Counts, Mpi, MpiError, Rank, Requests, Tag};

use super::operation::{Operation, Place, ROOT, element};
use crate::halo::exchange::{partners, steps};
use crate::halo::grid::{Grid, Stencil};

const TAG: Tag = 7801;

/// The functions on a communicator, and the neighbours in a periodic grid of its ranks.
pub struct Job<'a> {
    pub calls: Collectives<'a>,
    mpi: &'a Mpi,
    comm: Comm<'a>,
    graph: Comm<'a>,
    /// Neighbours, and which of their blocks they send.
    sources: Vec<(Rank, usize)>,
    requests: RefCell<Requests>,
}

impl<'a> Job<'a> {
    /// Collective.
    pub fn new(mpi: &'a Mpi, comm: Comm<'a>) -> Result<Job<'a>, MpiError> {
        let calls = mpi.collectives(comm)?;
        let sources = sources(calls.size() as i32, calls.rank());
        let ranks: Vec<Rank> = sources.iter().map(|&(rank, _)| rank).collect();
        let graph = comm.graph(&ranks, &ranks)?;
        let requests = RefCell::new(mpi.requests(2 * sources.len()));
        Ok(Job { calls, mpi, comm, graph, sources, requests })
    }

    /// Collective.
    pub fn free(self) -> Result<(), MpiError> {
        self.graph.free()
    }

    /// The communicator.
    pub fn comm(&self) -> Comm<'a> {
        self.comm
    }

    pub fn place(&self) -> Place<'_> {
        Place { rank: self.calls.rank() as usize, size: self.calls.size(), sources: &self.sources }
    }

    pub fn neighbor_allgather(&self, buffers: &mut Buffers, block: usize) -> Result<(), MpiError> {
        self.calls.neighbor_allgather((self.graph, self.sources.len()), &buffers.out[..block], &mut buffers.into)
    }

    pub fn neighbor_alltoall(&self, buffers: &mut Buffers, block: usize) -> Result<(), MpiError> {
        self.calls.neighbor_alltoall((self.graph, self.sources.len()), block, &buffers.out, &mut buffers.into)
    }

    pub fn ineighbor_allgather(&self, buffers: &mut Buffers, block: usize) -> Result<(), MpiError> {
        self.calls.ineighbor_allgather((self.graph, self.sources.len()), &buffers.out[..block], &mut buffers.into)
    }

    pub fn ineighbor_alltoall(&self, buffers: &mut Buffers, block: usize) -> Result<(), MpiError> {
        self.calls.ineighbor_alltoall((self.graph, self.sources.len()), block, &buffers.out, &mut buffers.into)
    }

    /// The graph of the neighbours, and buffers with a count for each of them.
    pub fn with_neighbours<'b>(
        &self,
        buffers: &'b mut Buffers,
        block: usize,
    ) -> Result<((Comm<'a>, usize), Counted<'b>), MpiError> {
        let degree = self.sources.len();
        Ok(((self.graph, degree), buffers.counts(degree, block)?))
    }

    /// The same by messages. `own`: whether each neighbour has a block of its own.
    pub fn exchange(&self, buffers: &mut Buffers, block: usize, own: bool) -> Result<(), MpiError> {
        let Buffers { out, into, .. } = buffers;
        let requests = &mut self.requests.borrow_mut();
        let bytes = block * size_of::<f64>();
        let blocks = into[..block * self.sources.len()].chunks_exact_mut(block);
        for (part, &(from, _)) in blocks.zip(&self.sources) {
            // SAFETY: parts do not overlap, and are not accessed before `waitall`.
            unsafe { self.comm.irecv(part.as_mut_ptr().cast(), bytes, from, TAG, requests) }?;
        }
        for (at, &(to, _)) in self.sources.iter().enumerate() {
            let begin = if own { at * block } else { 0 };
            let part = &out[begin..begin + block];
            // SAFETY: the part is not changed before `waitall`.
            unsafe { self.comm.isend(part.as_ptr().cast(), bytes, to, TAG, requests) }?;
        }
        self.mpi.waitall(requests)
    }
}

/// The neighbours of a rank in a periodic grid, each once: between ranks that are neighbours twice, MPIs match blocks in different orders.
fn neighbours(size: i32, rank: Rank) -> Vec<Rank> {
    let (_, mut found) = partners(&steps(&Grid::of(size, 2, true), Stencil::Four, rank));
    found.sort_unstable();
    found.dedup();
    found
}

/// The same, each with the place of `rank` among its own neighbours.
fn sources(size: i32, rank: Rank) -> Vec<(Rank, usize)> {
    let place = |of: Rank| neighbours(size, of).iter().position(|&neighbour| neighbour == rank);
    neighbours(size, rank).into_iter().filter_map(|of| Some((of, place(of)?))).collect()
}

/// Buffers for the largest operation.
pub struct Buffers {
    pub out: Vec<f64>,
    pub into: Vec<f64>,
    /// Between two calls.
    pub between: Vec<f64>,
    counts: ((usize, usize), Counts),
}

impl Buffers {
    /// For so many elements; `None` if there is no memory.
    pub fn new(elements: usize) -> Option<Buffers> {
        let buffer = || {
            let mut buffer = Vec::new();
            buffer.try_reserve_exact(elements).ok()?;
            buffer.resize(elements, 1.0);
            Some(buffer)
        };
        let counts = ((0, 0), Counts::default());
        Some(Buffers { out: buffer()?, into: buffer()?, between: buffer()?, counts })
    }

    /// Equal counts of all ranks or neighbours, made when the block changes.
    pub fn counts(&mut self, ranks: usize, block: usize) -> Result<Counted<'_>, MpiError> {
        if self.counts.0 != (ranks, block) {
            self.counts = ((ranks, block), Counts::equal(ranks, block)?);
        }
        Ok(Counted { counts: &self.counts.1, out: &self.out, into: &mut self.into })
    }

    /// Puts in what operations with so many elements need on this rank. Results of earlier ones are gone.
    pub fn fill(&mut self, rank: usize, elements: usize) {
        let all = self.out.iter_mut().zip(self.into.iter_mut().zip(&mut self.between));
        for (at, (out, (into, between))) in all.enumerate().take(elements) {
            *out = element(rank, at);
            // A broadcast sends what it later is to receive.
            let own = if rank == ROOT as usize { *out } else { f64::NAN };
            (*into, *between) = (own, own);
        }
    }

    /// The first element that is not what the operation makes on this rank.
    pub fn wrong(&self, operation: Operation, place: Place, block: usize) -> Option<usize> {
        let results = (0..self.into.len()).map_while(|at| operation.result(place, block, at));
        results.zip(&self.into).position(|(result, found)| result != *found)
    }
}

/// Buffers with counts.
pub struct Counted<'a> {
    pub counts: &'a Counts,
    pub out: &'a [f64],
    pub into: &'a mut [f64],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_neighbours_of_each_other() {
        for size in 2..20 {
            for rank in 0..size {
                let own = neighbours(size, rank);
                let found = sources(size, rank);
                assert!(!own.contains(&rank) && own.len() == found.len() && own.len() <= size as usize);
                assert!(found.iter().all(|&(of, place)| neighbours(size, of)[place] == rank));
            }
        }
        assert_eq!((sources(2, 0), sources(3, 1)), (vec![(1, 0)], vec![(0, 0), (2, 1)]));
    }

    #[test]
    fn a_wrong_element_is_found() {
        let mut buffers = Buffers::new(30).unwrap();
        buffers.fill(1, 30);
        let place = Place { rank: 1, size: 3, sources: &[(0, 0), (2, 1)] };
        // What rank 1 of three has after a scan of ten elements: its own and those of rank 0.
        for at in 0..10 {
            buffers.into[at] = element(0, at) + element(1, at);
        }
        assert_eq!(buffers.wrong(Operation::Scan, place, 10), None);
        buffers.into[7] += 1.0;
        assert_eq!(buffers.wrong(Operation::Scan, place, 10), Some(7));
        buffers.into.fill(f64::NAN);
        assert_eq!(buffers.wrong(Operation::Exscan, place, 10), Some(0));
        assert_eq!(buffers.wrong(Operation::Exscan, Place { rank: 0, ..place }, 10), None, "no rank comes before it");
        assert_eq!(buffers.wrong(Operation::Alltoall, place, 10), Some(0));
        assert_eq!(buffers.wrong(Operation::NeighborAlltoall, place, 10), Some(0));
        assert_eq!(buffers.wrong(Operation::Gather, place, 10), None, "only the root receives");
        assert!(Buffers::new(usize::MAX / 16).is_none());
    }
}
