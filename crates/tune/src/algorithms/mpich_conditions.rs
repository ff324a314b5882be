//! What algorithms of MPICH need that a setting selects. From 4.0 on, MPICH looks whether they have it, and decides as without the setting
//! if not (`MPIR_CVAR_COLLECTIVE_FALLBACK`); before, it does not look, and fails or computes something else.
//!
//! The conditions are code there (`src/mpi/coll/coll_algorithms.txt`). A test compares them with messages that MPICH sends.

use super::tree::Question;

/// What an algorithm needs.
#[derive(Clone, Copy)]
enum Need {
    Hosts,
    Commutes,
    BuiltIn,
    Elements,
    PowerOfTwo,
    InPlace,
    NotInPlace,
    Consecutive,
    /// Something that a run does not show.
    Unknown,
}

use Need::{BuiltIn, Commutes, Consecutive, Elements, Hosts, InPlace, NotInPlace, PowerOfTwo, Unknown};

/// Whether an algorithm can be used.
pub(super) enum Fit {
    Yes,
    /// Why not.
    No(&'static str),
    NotKnown,
}

/// Whether a call has what an algorithm needs: `allreduce` or `iallreduce`, `smp` or `sched_smp`.
pub(super) fn fit(operation: &str, algorithm: &str, call: &Question) -> Fit {
    for need in needs(operation, algorithm) {
        let (is_met, why) = match need {
            Hosts => (call.is_parent, "no host has several members"),
            Commutes => (call.commutes, "the operation does not commute"),
            BuiltIn => (call.is_built_in, "the operation is one of the program"),
            Elements => (
                call.count >= 1 << call.ranks.max(1).ilog2(),
                "there are fewer elements than the largest power of two up to the number of ranks",
            ),
            PowerOfTwo => (call.ranks.is_power_of_two(), "the number of ranks is not a power of two"),
            InPlace => (call.is_in_place, "MPI_IN_PLACE is not given"),
            NotInPlace => (!call.is_in_place, "MPI_IN_PLACE is given"),
            Consecutive => (call.is_parent && call.is_consecutive, "members of hosts do not follow each other"),
            Unknown => return Fit::NotKnown,
        };
        if !is_met {
            return Fit::No(why);
        }
    }
    Fit::Yes
}

/// Whether that depends on the number of elements.
pub(super) fn counts(operation: &str, algorithm: &str) -> bool {
    needs(operation, algorithm).iter().any(|need| matches!(need, Elements))
}

fn needs(operation: &str, algorithm: &str) -> &'static [Need] {
    let is_blocking = !operation.starts_with('i');
    let operation = if is_blocking { operation } else { &operation[1..] };
    let (kind, bare) = match algorithm.split_once('_') {
        Some((kind @ ("sched" | "tsp" | "gentran"), bare)) => (kind, bare),
        _ => ("", algorithm),
    };
    match (operation, bare) {
        ("barrier" | "bcast", "smp") => &[Hosts],
        ("allreduce" | "reduce", "smp") => &[Commutes, Hosts],
        ("scan", "smp") => &[Commutes, Consecutive],
        ("allreduce", "reduce_scatter_allgather") | ("reduce", "reduce_scatter_gather") => &[Elements, BuiltIn],
        ("allreduce", "ring" | "recexch_reduce_scatter_recexch_allgatherv") => &[Commutes],
        ("allreduce" | "reduce", "tree") if !kind.is_empty() => &[Commutes],
        // Their conditions differ between versions.
        ("allreduce", "k_reduce_scatter_allgather" | "recursive_multiplying") => &[Unknown],
        ("allgather" | "allgatherv", "recursive_doubling") => &[PowerOfTwo],
        ("allgatherv", "recexch_doubling" | "recexch_halving") => &[Unknown],
        ("bcast", "scatter_recursive_doubling_allgather") if !is_blocking => &[PowerOfTwo],
        ("alltoall" | "alltoallv" | "alltoallw", "pairwise_sendrecv_replace" | "inplace") => &[InPlace],
        ("alltoall", "brucks" | "k_brucks" | "pairwise" | "scattered" | "permuted_sendrecv") if kind != "tsp" => {
            &[NotInPlace]
        }
        ("alltoallv" | "alltoallw", "scattered" | "blocked") => &[NotInPlace],
        ("reduce_scatter" | "reduce_scatter_block", "pairwise" | "recursive_halving" | "recexch") => &[Commutes],
        ("reduce_scatter_block", "noncommutative") => &[PowerOfTwo],
        ("reduce_scatter", "noncommutative") if !is_blocking => &[PowerOfTwo],
        _ => &[],
    }
}
