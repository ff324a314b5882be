//! Ways to send the root's data to all ranks, with messages between two ranks.

use std::ops::Range;

use mpiscope_mpi::{Mpi, Rank, Requests, Tag};

use crate::error::BenchError;

const DATA: Tag = 7701;
/// The rank that has the data.
pub const ROOT: Rank = 0;

/// How it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `MPI_Bcast`.
    Library,
    /// Each rank that has the data sends them on: the number of ranks that have them doubles.
    Binomial,
    /// From each rank to the next.
    Chain,
    /// The same in segments of so many bytes: a rank sends one while it receives the next.
    Pipeline(usize),
    /// Each rank gets a part by a binomial tree; then the parts go round a ring.
    ScatterAllgather,
}

/// All of them; `MPI_Bcast` first.
pub const WAYS: [Way; 6] =
    [Way::Library, Way::Binomial, Way::Chain, Way::Pipeline(8 << 10), Way::Pipeline(64 << 10), Way::ScatterAllgather];

impl Way {
    /// Stable name.
    pub fn name(self) -> String {
        match self {
            Way::Library => "library".into(),
            Way::Binomial => "binomial".into(),
            Way::Chain => "chain".into(),
            Way::Pipeline(segment) => format!("pipeline-{}K", segment >> 10),
            Way::ScatterAllgather => "scatter+allgather".into(),
        }
    }

    /// In words.
    pub fn text(self) -> String {
        match self {
            Way::Library => "MPI_Bcast".into(),
            Way::Binomial => "a binomial tree of messages".into(),
            Way::Chain => "a chain of messages".into(),
            Way::Pipeline(segment) => format!("a pipeline of segments of {}", mpiscope_units::bytes(segment as u64)),
            Way::ScatterAllgather => "a scatter and a ring of messages".into(),
        }
    }

    /// Whether it differs from the others at this size: a single segment is a chain.
    pub fn is_for(self, bytes: usize) -> bool {
        match self {
            Way::Pipeline(segment) => bytes > segment,
            _ => true,
        }
    }
}

/// This rank's place among all, and its calls.
pub struct Caster<'a> {
    mpi: &'a Mpi,
    rank: usize,
    size: usize,
    requests: Requests,
}

impl<'a> Caster<'a> {
    /// `most` bytes are the largest data.
    pub fn new(mpi: &'a Mpi, rank: Rank, size: i32, most: usize) -> Caster<'a> {
        let smallest = WAYS.iter().filter_map(|way| if let Way::Pipeline(of) = way { Some(*of) } else { None }).min();
        let segments = smallest.map_or(0, |segment| most.div_ceil(segment));
        Caster { mpi, rank: rank as usize, size: size as usize, requests: mpi.requests(segments.max(2)) }
    }

    /// One broadcast.
    pub fn bcast(&mut self, way: Way, data: &mut [u8]) -> Result<(), BenchError> {
        match way {
            Way::Library => Ok(self.mpi.world().bcast(data, ROOT)?),
            Way::Binomial => self.tree(data, &|_, _| 0..usize::MAX),
            Way::Chain => self.pipeline(data, usize::MAX),
            Way::Pipeline(segment) => self.pipeline(data, segment),
            Way::ScatterAllgather => {
                let block = data.len().div_ceil(self.size).max(1);
                self.tree(data, &|from, to| from * block..to.saturating_mul(block))?;
                self.ring(data, block)
            }
        }
    }

    /// Along a binomial tree. `part`: the bytes that the ranks of a subtree (from one rank up to another) need.
    fn tree(&self, data: &mut [u8], part: &dyn Fn(usize, usize) -> Range<usize>) -> Result<(), BenchError> {
        for edge in edges(self.rank, self.size) {
            let bytes = within(part(edge.to, edge.end), data.len());
            if edge.to == self.rank {
                self.mpi.recv(&mut data[bytes], edge.from as Rank, DATA)?;
            } else {
                self.mpi.send(&data[bytes], edge.to as Rank, DATA)?;
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, data: &mut [u8], segment: usize) -> Result<(), BenchError> {
        for part in data.chunks_mut(segment) {
            if self.rank > 0 {
                self.mpi.recv(part, self.rank as Rank - 1, DATA)?;
            }
            if self.rank + 1 < self.size {
                let next = self.rank as Rank + 1;
                // SAFETY: the part is not changed before `waitall`.
                unsafe { self.mpi.world().isend(part.as_ptr(), part.len(), next, DATA, &mut self.requests)? };
            }
        }
        Ok(self.mpi.waitall(&mut self.requests)?)
    }

    /// Each rank has its block; afterwards, all.
    fn ring(&mut self, data: &mut [u8], block: usize) -> Result<(), BenchError> {
        let (size, rank, length, start) = (self.size, self.rank, data.len(), data.as_mut_ptr());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        for step in 0..size - 1 {
            let of = |rank: usize| within(rank * block..(rank + 1) * block, length);
            let (out, into) = (of((rank + size - step) % size), of((rank + size - step - 1) % size));
            // SAFETY: both are within the data and do not overlap, and are not accessed before `waitall`.
            unsafe {
                let world = self.mpi.world();
                world.irecv(start.add(into.start), into.len(), before as Rank, DATA, &mut self.requests)?;
                world.isend(start.add(out.start), out.len(), next as Rank, DATA, &mut self.requests)?;
            }
            self.mpi.waitall(&mut self.requests)?;
        }
        Ok(())
    }
}

/// A message of the tree: from a rank to one whose subtree ends before rank `end`.
#[derive(Debug, PartialEq, Eq)]
struct Edge {
    from: usize,
    to: usize,
    end: usize,
}

/// What a rank receives and sends, in this order.
fn edges(rank: usize, size: usize) -> Vec<Edge> {
    let mut span = size.next_power_of_two();
    let mut found = Vec::new();
    if rank != ROOT as usize {
        span = 1 << rank.trailing_zeros();
        found.push(Edge { from: rank - span, to: rank, end: (rank + span).min(size) });
    }
    while span > 1 {
        span /= 2;
        if rank + span < size {
            found.push(Edge { from: rank, to: rank + span, end: (rank + 2 * span).min(size) });
        }
    }
    found
}

fn within(part: Range<usize>, length: usize) -> Range<usize> {
    part.start.min(length)..part.end.min(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_reaches_every_rank_once() {
        for size in 1..40 {
            let mut has: Vec<bool> = (0..size).map(|rank| rank == 0).collect();
            for rank in 0..size {
                let all = edges(rank, size);
                assert!(all.iter().skip(usize::from(rank > 0)).all(|edge| edge.from == rank && edge.to > rank));
                for edge in all.iter().filter(|edge| edge.from == rank) {
                    assert!(edges(edge.to, size)[0] == *edge && !has[edge.to], "{size} {edge:?}");
                    has[edge.to] = true;
                }
            }
            assert!(has.iter().all(|has| *has), "{size}");
        }
        assert_eq!(edges(0, 6).iter().map(|edge| (edge.to, edge.end)).collect::<Vec<_>>(), [(4, 6), (2, 4), (1, 2)]);
    }

    #[test]
    fn a_way_has_one_name() {
        let names: std::collections::BTreeSet<String> = WAYS.iter().map(|way| way.name()).collect();
        assert_eq!(names.len(), WAYS.len());
        assert!(!Way::Pipeline(8192).is_for(8192) && Way::Pipeline(8192).is_for(8193) && Way::Chain.is_for(1));
    }
}
