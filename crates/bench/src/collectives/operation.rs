//! The operations, and what each has as its result.
//!
//! Sizes are those of the standard's counts: of the whole data for broadcasts and reductions, of the block of one rank or neighbour for the others.

use mpiscope_mpi::Rank;

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
    Exscan,
    NeighborAllgather,
    NeighborAlltoall,
}

/// A rank among the others.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub rank: usize,
    pub size: usize,
    /// From which a neighbourhood operation receives, in order, and which of its blocks each sends.
    pub sources: &'a [(Rank, usize)],
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
            Operation::Exscan => "exscan",
            Operation::NeighborAllgather => "neighbor_allgather",
            Operation::NeighborAlltoall => "neighbor_alltoall",
        }
    }

    /// The function of the standard with this name, or several joined by `+`.
    pub fn function(by: &str) -> String {
        let one = |name: &str| match name {
            "reduce_scatter" => "MPI_Reduce_scatter_block".to_owned(),
            "ireduce_scatter" => "MPI_Ireduce_scatter_block".to_owned(),
            "reduce_scatter_counts" => "MPI_Reduce_scatter".to_owned(),
            "ireduce_scatter_counts" => "MPI_Ireduce_scatter".to_owned(),
            name => format!("MPI_{}{}", name[..1].to_uppercase(), &name[1..]),
        };
        by.split('+').map(one).collect::<Vec<_>>().join(" and ")
    }

    /// What element `at` of the result is on a rank, for blocks of so many elements; `None` if there is no such element.
    pub fn result(self, place: Place, block: usize, at: usize) -> Option<f64> {
        let Place { rank, size, sources } = place;
        let all = block * size;
        let sum = |ranks: usize, at: usize| (ranks * (ranks + 1) / 2) as f64 * ((at % PERIOD) + 1) as f64;
        let is_root = rank == ROOT as usize;
        let source = || sources.get(at / block).map(|&(rank, place)| (rank as usize, place));
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
            // The first rank has no result.
            Operation::Exscan => (rank > 0 && at < block).then(|| sum(rank, at)),
            Operation::NeighborAllgather => source().map(|(source, _)| element(source, at % block)),
            Operation::NeighborAlltoall => source().map(|(source, place)| element(source, place * block + at % block)),
        }
    }
}

/// What a rank puts in. Sums of it are exact.
pub fn element(rank: usize, at: usize) -> f64 {
    ((rank + 1) * ((at % PERIOD) + 1)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_the_names_of_the_standard() {
        for (by, function) in [
            ("bcast", "MPI_Bcast"),
            ("ibcast", "MPI_Ibcast"),
            ("reduce_scatter+allgather", "MPI_Reduce_scatter_block and MPI_Allgather"),
            ("ireduce_scatter", "MPI_Ireduce_scatter_block"),
            ("reduce_scatter_counts", "MPI_Reduce_scatter"),
            ("ireduce_scatter_counts", "MPI_Ireduce_scatter"),
            ("neighbor_alltoall", "MPI_Neighbor_alltoall"),
            ("ineighbor_alltoallw", "MPI_Ineighbor_alltoallw"),
            ("isend+irecv", "MPI_Isend and MPI_Irecv"),
        ] {
            assert_eq!(Operation::function(by), function);
        }
    }

    #[test]
    fn neighbours_send_their_own_blocks() {
        let place = Place { rank: 0, size: 4, sources: &[(3, 1), (1, 0)] };
        let of = |operation: Operation| (0..5).map(|at| operation.result(place, 2, at)).collect::<Vec<_>>();
        let elements = |of: [(usize, usize); 4]| {
            of.iter().map(|&(rank, at)| Some(element(rank, at))).chain([None]).collect::<Vec<_>>()
        };
        assert_eq!(of(Operation::NeighborAllgather), elements([(3, 0), (3, 1), (1, 0), (1, 1)]));
        assert_eq!(of(Operation::NeighborAlltoall), elements([(3, 2), (3, 3), (1, 0), (1, 1)]));
    }
}
