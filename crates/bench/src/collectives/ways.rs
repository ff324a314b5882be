//! The operations, and the ways in which each can be made.
//!
//! Sizes are those of the standard's counts: of the whole data for broadcasts and reductions, of the block of one rank for the others.

use mpiscope_mpi::{Collectives, MpiError, Rank};

pub const ROOT: Rank = 0;
/// Values repeat after so many: a prime, so that blocks differ.
const PERIOD: usize = 1021;

/// An operation of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Barrier,
    Bcast,
    Scatter,
    Gather,
    Allgather,
    Alltoall,
    Reduce,
    Allreduce,
    ReduceScatter,
    Scan,
}

/// How an operation is made.
pub struct Way {
    pub operation: Operation,
    /// Stable name: [`LIBRARY`], or what is called instead.
    pub by: &'static str,
    /// Whether the data have to be divisible by the number of ranks.
    pub divides: bool,
    /// Makes it for blocks of so many elements.
    pub run: fn(&Collectives, &mut Buffers, usize) -> Result<(), MpiError>,
}

/// The function of the operation itself.
pub const LIBRARY: &str = "library";

/// In the order of the report: an operation's own function comes first.
pub static WAYS: &[Way] = &[
    way(Operation::Barrier, LIBRARY, |calls, _, _| calls.barrier()),
    way(Operation::Barrier, "allreduce", |calls, b, _| calls.allreduce(&b.out[..1], &mut b.into)),
    way(Operation::Bcast, LIBRARY, |calls, b, block| calls.bcast(&mut b.into[..block], ROOT)),
    divided(Operation::Bcast, "scatter+allgather", |calls, b, block| {
        let part = block / calls.size();
        calls.scatter(&b.into[..block], &mut b.between[..part], ROOT)?;
        calls.allgather(&b.between[..part], &mut b.into[..block])
    }),
    way(Operation::Scatter, LIBRARY, |calls, b, block| {
        calls.scatter(&b.out[..block * calls.size()], &mut b.into[..block], ROOT)
    }),
    way(Operation::Scatter, "bcast", |calls, b, block| {
        calls.bcast(&mut b.between[..block * calls.size()], ROOT)?;
        let own = calls.rank() as usize * block;
        b.into[..block].copy_from_slice(&b.between[own..own + block]);
        Ok(())
    }),
    way(Operation::Gather, LIBRARY, |calls, b, block| calls.gather(&b.out[..block], &mut b.into, ROOT)),
    way(Operation::Gather, "allgather", |calls, b, block| calls.allgather(&b.out[..block], &mut b.into)),
    way(Operation::Allgather, LIBRARY, |calls, b, block| calls.allgather(&b.out[..block], &mut b.into)),
    way(Operation::Allgather, "gather+bcast", |calls, b, block| {
        calls.gather(&b.out[..block], &mut b.into, ROOT)?;
        calls.bcast(&mut b.into[..block * calls.size()], ROOT)
    }),
    way(Operation::Allgather, "alltoall", |calls, b, block| {
        b.between[..block * calls.size()].chunks_exact_mut(block).for_each(|of| of.copy_from_slice(&b.out[..block]));
        calls.alltoall(block, &b.between, &mut b.into)
    }),
    way(Operation::Alltoall, LIBRARY, |calls, b, block| calls.alltoall(block, &b.out, &mut b.into)),
    way(Operation::Alltoall, "alltoallv", |calls, b, block| {
        b.counts.fill(block as i32);
        b.places.iter_mut().enumerate().for_each(|(rank, place)| *place = (rank * block) as i32);
        calls.alltoallv(&b.counts, &b.places, &b.out, &mut b.into)
    }),
    way(Operation::Reduce, LIBRARY, |calls, b, block| calls.reduce(&b.out[..block], &mut b.into, ROOT)),
    way(Operation::Reduce, "allreduce", |calls, b, block| calls.allreduce(&b.out[..block], &mut b.into)),
    way(Operation::Allreduce, LIBRARY, |calls, b, block| calls.allreduce(&b.out[..block], &mut b.into)),
    way(Operation::Allreduce, "reduce+bcast", |calls, b, block| {
        calls.reduce(&b.out[..block], &mut b.into, ROOT)?;
        calls.bcast(&mut b.into[..block], ROOT)
    }),
    divided(Operation::Allreduce, "reduce_scatter+allgather", |calls, b, block| {
        let part = block / calls.size();
        calls.reduce_scatter_block(&b.out[..block], &mut b.between[..part])?;
        calls.allgather(&b.between[..part], &mut b.into[..block])
    }),
    way(Operation::ReduceScatter, LIBRARY, |calls, b, block| {
        calls.reduce_scatter_block(&b.out[..block * calls.size()], &mut b.into[..block])
    }),
    way(Operation::ReduceScatter, "reduce+scatter", |calls, b, block| {
        let all = block * calls.size();
        calls.reduce(&b.out[..all], &mut b.between, ROOT)?;
        calls.scatter(&b.between[..all], &mut b.into[..block], ROOT)
    }),
    way(Operation::Scan, LIBRARY, |calls, b, block| calls.scan(&b.out[..block], &mut b.into)),
];

type Run = fn(&Collectives, &mut Buffers, usize) -> Result<(), MpiError>;

const fn way(operation: Operation, by: &'static str, run: Run) -> Way {
    Way { operation, by, divides: false, run }
}

const fn divided(operation: Operation, by: &'static str, run: Run) -> Way {
    Way { operation, by, divides: true, run }
}

impl Operation {
    /// Stable name.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Barrier => "barrier",
            Operation::Bcast => "bcast",
            Operation::Scatter => "scatter",
            Operation::Gather => "gather",
            Operation::Allgather => "allgather",
            Operation::Alltoall => "alltoall",
            Operation::Reduce => "reduce",
            Operation::Allreduce => "allreduce",
            Operation::ReduceScatter => "reduce_scatter",
            Operation::Scan => "scan",
        }
    }

    /// The function of the standard with this name, or several joined by `+`.
    pub fn function(by: &str) -> String {
        let one = |name: &str| match name {
            "reduce_scatter" => "MPI_Reduce_scatter_block".to_owned(),
            name => format!("MPI_{}{}", name[..1].to_uppercase(), &name[1..]),
        };
        by.split('+').map(one).collect::<Vec<_>>().join(" and ")
    }

    /// What element `at` of the result is on a rank, for blocks of so many elements; `None` if there is no such element.
    fn result(self, rank: usize, size: usize, block: usize, at: usize) -> Option<f64> {
        let all = block * size;
        let sum = |ranks: usize, at: usize| (ranks * (ranks + 1) / 2) as f64 * ((at % PERIOD) + 1) as f64;
        let is_root = rank == ROOT as usize;
        match self {
            Operation::Barrier => None,
            Operation::Bcast => (at < block).then(|| element(ROOT as usize, at)),
            Operation::Scatter => (at < block).then(|| element(ROOT as usize, rank * block + at)),
            Operation::Gather => (is_root && at < all).then(|| element(at / block, at % block)),
            Operation::Allgather => (at < all).then(|| element(at / block, at % block)),
            Operation::Alltoall => (at < all).then(|| element(at / block, rank * block + at % block)),
            Operation::Reduce => (is_root && at < block).then(|| sum(size, at)),
            Operation::Allreduce => (at < block).then(|| sum(size, at)),
            Operation::ReduceScatter => (at < block).then(|| sum(size, rank * block + at)),
            Operation::Scan => (at < block).then(|| sum(rank + 1, at)),
        }
    }
}

/// What a rank puts in. Sums of it are exact.
fn element(rank: usize, at: usize) -> f64 {
    ((rank + 1) * ((at % PERIOD) + 1)) as f64
}

/// Buffers for the largest operation.
pub struct Buffers {
    pub out: Vec<f64>,
    pub into: Vec<f64>,
    /// Between two calls.
    pub between: Vec<f64>,
    pub counts: Vec<i32>,
    pub places: Vec<i32>,
}

impl Buffers {
    /// For so many elements; `None` if there is no memory.
    pub fn new(size: usize, elements: usize) -> Option<Buffers> {
        let buffer = || {
            let mut buffer = Vec::new();
            buffer.try_reserve_exact(elements).ok()?;
            buffer.resize(elements, 1.0);
            Some(buffer)
        };
        Some(Buffers {
            out: buffer()?,
            into: buffer()?,
            between: buffer()?,
            counts: vec![0; size],
            places: vec![0; size],
        })
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
    pub fn wrong(&self, operation: Operation, rank: usize, size: usize, block: usize) -> Option<usize> {
        let results = (0..self.into.len()).map_while(|at| operation.result(rank, size, block, at));
        results.zip(&self.into).position(|(result, found)| result != *found)
    }
}

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
        assert_eq!(seen.len(), 10);
    }

    #[test]
    fn functions_have_the_names_of_the_standard() {
        assert_eq!(Operation::function("bcast"), "MPI_Bcast");
        assert_eq!(Operation::function("reduce_scatter+allgather"), "MPI_Reduce_scatter_block and MPI_Allgather");
    }

    #[test]
    fn a_wrong_element_is_found() {
        let mut buffers = Buffers::new(3, 30).unwrap();
        buffers.fill(1, 30);
        // What rank 1 of three has after a scan of ten elements: its own and those of rank 0.
        for at in 0..10 {
            buffers.into[at] = element(0, at) + element(1, at);
        }
        assert_eq!(buffers.wrong(Operation::Scan, 1, 3, 10), None);
        buffers.into[7] += 1.0;
        assert_eq!(buffers.wrong(Operation::Scan, 1, 3, 10), Some(7));
        buffers.into.fill(f64::NAN);
        assert_eq!(buffers.wrong(Operation::Alltoall, 1, 3, 10), Some(0));
        assert_eq!(buffers.wrong(Operation::Gather, 1, 3, 10), None, "only the root receives");
        assert!(Buffers::new(2, usize::MAX / 16).is_none());
    }
}
