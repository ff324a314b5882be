//! The ways in which each operation can be made.

use mpiscope_mpi::MpiError;

use super::job::{Buffers, Job};
use super::operation::{Operation, ROOT};

/// How an operation is made.
pub struct Way {
    pub operation: Operation,
    /// Stable name: [`LIBRARY`], [`SPLIT`], or what is called instead.
    pub by: &'static str,
    pub divides: Divides,
    /// Whether it is measured without naming the experiment.
    pub is_standard: bool,
    /// Makes it for blocks of so many elements.
    pub run: Run,
}

type Run = fn(&Job, &mut Buffers, usize) -> Result<(), MpiError>;

/// By what the elements of a block have to be divisible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divides {
    Nothing,
    Ranks,
    Parts,
}

impl Divides {
    pub fn is_possible(self, block: usize, ranks: usize) -> bool {
        match self {
            Divides::Nothing => true,
            Divides::Ranks => block.is_multiple_of(ranks),
            Divides::Parts => block.is_multiple_of(PARTS),
        }
    }
}

/// The function of the operation itself.
pub const LIBRARY: &str = "library";
/// The same function, several times with a part of the data.
pub const SPLIT: &str = "split";
/// How many times.
pub const PARTS: usize = 4;

impl Way {
    const fn named(self) -> Way {
        Way { is_standard: false, ..self }
    }

    const fn divides(self, divides: Divides) -> Way {
        Way { divides, ..self }
    }

    /// What is called, in words.
    pub fn function(&self) -> String {
        let own = Operation::function(self.operation.name());
        match self.by {
            LIBRARY => own,
            SPLIT => format!("{PARTS} {own} of a quarter each"),
            by => Operation::function(by),
        }
    }
}

const fn way(operation: Operation, by: &'static str, run: Run) -> Way {
    Way { operation, by, divides: Divides::Nothing, is_standard: true, run }
}

/// Calls it for each part of a block.
fn split(block: usize, run: impl FnMut(std::ops::Range<usize>) -> Result<(), MpiError>) -> Result<(), MpiError> {
    let part = block / PARTS;
    (0..PARTS).map(|at| at * part..(at + 1) * part).try_for_each(run)
}

/// In the order of the report: an operation's own function comes first.
pub static WAYS: &[Way] = &[
    way(Operation::Barrier, LIBRARY, |job, _, _| job.calls.barrier()),
    way(Operation::Barrier, "allreduce", |job, b, _| job.calls.allreduce(&b.out[..1], &mut b.into)),
    way(Operation::Barrier, "ibarrier", |job, _, _| job.calls.ibarrier()).named(),
    way(Operation::Bcast, LIBRARY, |job, b, block| job.calls.bcast(&mut b.into[..block], ROOT)),
    way(Operation::Bcast, "scatter+allgather", |job, b, block| {
        let part = block / job.calls.size();
        job.calls.scatter(&b.into[..block], &mut b.between[..part], ROOT)?;
        job.calls.allgather(&b.between[..part], &mut b.into[..block])
    })
    .divides(Divides::Ranks),
    way(Operation::Bcast, "ibcast", |job, b, block| job.calls.ibcast(&mut b.into[..block], ROOT)).named(),
    way(Operation::Bcast, SPLIT, |job, b, block| split(block, |part| job.calls.bcast(&mut b.into[part], ROOT)))
        .divides(Divides::Parts)
        .named(),
    way(Operation::Scatter, LIBRARY, |job, b, block| {
        job.calls.scatter(&b.out[..block * job.calls.size()], &mut b.into[..block], ROOT)
    }),
    way(Operation::Scatter, "bcast", |job, b, block| {
        job.calls.bcast(&mut b.between[..block * job.calls.size()], ROOT)?;
        let own = job.calls.rank() as usize * block;
        b.into[..block].copy_from_slice(&b.between[own..own + block]);
        Ok(())
    }),
    way(Operation::Scatter, "scatterv", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.scatterv(b.counts, b.out, &mut b.into[..block], ROOT)
    })
    .named(),
    way(Operation::Scatter, "iscatter", |job, b, block| job.calls.iscatter(&b.out, &mut b.into[..block], ROOT)).named(),
    way(Operation::Scatter, "iscatterv", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.iscatterv(b.counts, b.out, &mut b.into[..block], ROOT)
    })
    .named(),
    way(Operation::Gather, LIBRARY, |job, b, block| job.calls.gather(&b.out[..block], &mut b.into, ROOT)),
    way(Operation::Gather, "allgather", |job, b, block| job.calls.allgather(&b.out[..block], &mut b.into)),
    way(Operation::Gather, "gatherv", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.gatherv(b.counts, &b.out[..block], b.into, ROOT)
    })
    .named(),
    way(Operation::Gather, "igather", |job, b, block| job.calls.igather(&b.out[..block], &mut b.into, ROOT)).named(),
    way(Operation::Gather, "igatherv", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.igatherv(b.counts, &b.out[..block], b.into, ROOT)
    })
    .named(),
    way(Operation::Allgather, LIBRARY, |job, b, block| job.calls.allgather(&b.out[..block], &mut b.into)),
    way(Operation::Allgather, "gather+bcast", |job, b, block| {
        job.calls.gather(&b.out[..block], &mut b.into, ROOT)?;
        job.calls.bcast(&mut b.into[..block * job.calls.size()], ROOT)
    }),
    way(Operation::Allgather, "alltoall", |job, b, block| {
        let all = block * job.calls.size();
        b.between[..all].chunks_exact_mut(block).for_each(|of| of.copy_from_slice(&b.out[..block]));
        job.calls.alltoall(block, &b.between, &mut b.into)
    }),
    way(Operation::Allgather, "allgatherv", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.allgatherv(b.counts, &b.out[..block], b.into)
    })
    .named(),
    way(Operation::Allgather, "iallgather", |job, b, block| job.calls.iallgather(&b.out[..block], &mut b.into)).named(),
    way(Operation::Allgather, "iallgatherv", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.iallgatherv(b.counts, &b.out[..block], b.into)
    })
    .named(),
    way(Operation::Alltoall, LIBRARY, |job, b, block| job.calls.alltoall(block, &b.out, &mut b.into)),
    way(Operation::Alltoall, "alltoallv", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.alltoallv(b.counts, b.out, b.into)
    }),
    way(Operation::Alltoall, "alltoallw", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.alltoallw(b.counts, b.out, b.into)
    })
    .named(),
    way(Operation::Alltoall, "ialltoall", |job, b, block| job.calls.ialltoall(block, &b.out, &mut b.into)).named(),
    way(Operation::Alltoall, "ialltoallv", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.ialltoallv(b.counts, b.out, b.into)
    })
    .named(),
    way(Operation::Alltoall, "ialltoallw", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.ialltoallw(b.counts, b.out, b.into)
    })
    .named(),
    way(Operation::Reduce, LIBRARY, |job, b, block| job.calls.reduce(&b.out[..block], &mut b.into, ROOT)),
    way(Operation::Reduce, "allreduce", |job, b, block| job.calls.allreduce(&b.out[..block], &mut b.into)),
    way(Operation::Reduce, "ireduce", |job, b, block| job.calls.ireduce(&b.out[..block], &mut b.into, ROOT)).named(),
    way(Operation::Reduce, SPLIT, |job, b, block| {
        split(block, |part| job.calls.reduce(&b.out[part.clone()], &mut b.into[part], ROOT))
    })
    .divides(Divides::Parts)
    .named(),
    way(Operation::Allreduce, LIBRARY, |job, b, block| job.calls.allreduce(&b.out[..block], &mut b.into)),
    way(Operation::Allreduce, "reduce+bcast", |job, b, block| {
        job.calls.reduce(&b.out[..block], &mut b.into, ROOT)?;
        job.calls.bcast(&mut b.into[..block], ROOT)
    }),
    way(Operation::Allreduce, "reduce_scatter+allgather", |job, b, block| {
        let part = block / job.calls.size();
        job.calls.reduce_scatter_block(&b.out[..block], &mut b.between[..part])?;
        job.calls.allgather(&b.between[..part], &mut b.into[..block])
    })
    .divides(Divides::Ranks),
    way(Operation::Allreduce, "iallreduce", |job, b, block| job.calls.iallreduce(&b.out[..block], &mut b.into)).named(),
    way(Operation::Allreduce, SPLIT, |job, b, block| {
        split(block, |part| job.calls.allreduce(&b.out[part.clone()], &mut b.into[part]))
    })
    .divides(Divides::Parts)
    .named(),
    way(Operation::ReduceScatter, LIBRARY, |job, b, block| {
        job.calls.reduce_scatter_block(&b.out[..block * job.calls.size()], &mut b.into[..block])
    }),
    way(Operation::ReduceScatter, "reduce+scatter", |job, b, block| {
        let all = block * job.calls.size();
        job.calls.reduce(&b.out[..all], &mut b.between, ROOT)?;
        job.calls.scatter(&b.between[..all], &mut b.into[..block], ROOT)
    }),
    way(Operation::ReduceScatter, "reduce_scatter_counts", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.reduce_scatter(b.counts, b.out, &mut b.into[..block])
    })
    .named(),
    way(Operation::ReduceScatter, "ireduce_scatter", |job, b, block| {
        job.calls.ireduce_scatter_block(&b.out, &mut b.into[..block])
    })
    .named(),
    way(Operation::ReduceScatter, "ireduce_scatter_counts", |job, b, block| {
        let b = b.counts(job.calls.size(), block)?;
        job.calls.ireduce_scatter(b.counts, b.out, &mut b.into[..block])
    })
    .named(),
    way(Operation::Scan, LIBRARY, |job, b, block| job.calls.scan(&b.out[..block], &mut b.into)),
    way(Operation::Scan, "iscan", |job, b, block| job.calls.iscan(&b.out[..block], &mut b.into)).named(),
    way(Operation::Scan, SPLIT, |job, b, block| {
        split(block, |part| job.calls.scan(&b.out[part.clone()], &mut b.into[part]))
    })
    .divides(Divides::Parts)
    .named(),
    way(Operation::Exscan, LIBRARY, |job, b, block| job.calls.exscan(&b.out[..block], &mut b.into)).named(),
    way(Operation::Exscan, "iexscan", |job, b, block| job.calls.iexscan(&b.out[..block], &mut b.into)).named(),
    way(Operation::Exscan, SPLIT, |job, b, block| {
        split(block, |part| job.calls.exscan(&b.out[part.clone()], &mut b.into[part]))
    })
    .divides(Divides::Parts)
    .named(),
    way(Operation::NeighborAllgather, LIBRARY, |job, b, block| job.neighbor_allgather(b, block)).named(),
    way(Operation::NeighborAllgather, "ineighbor_allgather", |job, b, block| job.ineighbor_allgather(b, block)).named(),
    way(Operation::NeighborAllgather, "neighbor_allgatherv", |job, b, block| {
        let (graph, b) = job.with_neighbours(b, block)?;
        job.calls.neighbor_allgatherv(graph, b.counts, &b.out[..block], b.into)
    })
    .named(),
    way(Operation::NeighborAllgather, "ineighbor_allgatherv", |job, b, block| {
        let (graph, b) = job.with_neighbours(b, block)?;
        job.calls.ineighbor_allgatherv(graph, b.counts, &b.out[..block], b.into)
    })
    .named(),
    way(Operation::NeighborAllgather, "isend+irecv", |job, b, block| job.exchange(b, block, false)).named(),
    way(Operation::NeighborAlltoall, LIBRARY, |job, b, block| job.neighbor_alltoall(b, block)).named(),
    way(Operation::NeighborAlltoall, "ineighbor_alltoall", |job, b, block| job.ineighbor_alltoall(b, block)).named(),
    way(Operation::NeighborAlltoall, "neighbor_alltoallv", |job, b, block| {
        let (graph, b) = job.with_neighbours(b, block)?;
        job.calls.neighbor_alltoallv(graph, b.counts, b.out, b.into)
    })
    .named(),
    way(Operation::NeighborAlltoall, "neighbor_alltoallw", |job, b, block| {
        let (graph, b) = job.with_neighbours(b, block)?;
        job.calls.neighbor_alltoallw(graph, b.counts, b.out, b.into)
    })
    .named(),
    way(Operation::NeighborAlltoall, "ineighbor_alltoallv", |job, b, block| {
        let (graph, b) = job.with_neighbours(b, block)?;
        job.calls.ineighbor_alltoallv(graph, b.counts, b.out, b.into)
    })
    .named(),
    way(Operation::NeighborAlltoall, "ineighbor_alltoallw", |job, b, block| {
        let (graph, b) = job.with_neighbours(b, block)?;
        job.calls.ineighbor_alltoallw(graph, b.counts, b.out, b.into)
    })
    .named(),
    way(Operation::NeighborAlltoall, "isend+irecv", |job, b, block| job.exchange(b, block, true)).named(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_own_function_first() {
        let mut seen: Vec<Operation> = Vec::new();
        for way in WAYS {
            match seen.contains(&way.operation) {
                true => assert_eq!(seen.last(), Some(&way.operation), "{}", way.by),
                false => {
                    assert_eq!(way.by, LIBRARY);
                    seen.push(way.operation);
                }
            }
        }
        assert_eq!(seen.len(), 13);
        assert_eq!(WAYS.iter().filter(|way| way.is_standard).count(), 21);
    }

    #[test]
    fn a_block_is_divided_without_rest() {
        assert!(Divides::Ranks.is_possible(6, 3) && !Divides::Ranks.is_possible(6, 4));
        assert!(Divides::Parts.is_possible(8, 3) && !Divides::Parts.is_possible(6, 3));
        let mut parts = Vec::new();
        split(8, |part| {
            parts.push(part);
            Ok(())
        })
        .unwrap();
        assert_eq!(parts, [0..2, 2..4, 4..6, 6..8]);
    }
}
