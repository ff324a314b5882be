//! Why an experiment cannot run or ends.

use std::path::PathBuf;

use mpiscope_machine::MachineError;
use mpiscope_mpi::MpiError;

/// Why an experiment cannot run, or ended early.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says when it occurs, and names its fields")]
pub enum BenchError {
    #[error("unknown experiment '{given}'{}", match nearest { Some(name) => format!("; the nearest name is '{name}'"), None => String::new() })]
    Unknown { given: String, nearest: Option<&'static str> },
    #[error("{experiment} needs at least {needed} ranks, but this job has {ranks}")]
    TooFewRanks { experiment: &'static str, needed: i32, ranks: i32 },
    #[error(
        "--order {given} is not an order of the ranks of this job: it needs each number from 0 to {} once", ranks - 1
    )]
    Order { given: String, ranks: i32 },
    /// What is wrong with the description of the network.
    #[error("{0}")]
    Topology(String),
    #[error(
        "wrong bytes: byte {at} of a message of {bytes} bytes ({series}, rank {from} to rank {to}) was not what was sent"
    )]
    WrongBytes { series: String, bytes: usize, from: i32, to: i32, at: u64 },
    #[error("wrong result: element {at} of {kernel} with a working set of {bytes} bytes on rank {rank}")]
    WrongResult { kernel: &'static str, bytes: usize, rank: i32, at: usize },
    #[error("wrong result: number {at} of {series} in registers of {bits} bits on rank {rank}")]
    WrongNumber { series: &'static str, bits: u64, rank: i32, at: usize },
    #[error(
        "wrong result: element {at} of {series} with {bytes} bytes on rank {rank} is not what the ranks have put in"
    )]
    WrongElement { series: String, bytes: usize, rank: i32, at: usize },
    #[error("there is no memory for messages of {bytes} bytes")]
    Memory { bytes: usize },
    #[error("rank {rank} sent something that is not of this mpiscope")]
    Protocol { rank: i32 },
    /// An error that a rank has reported.
    #[error("{0}")]
    Failed(String),
    #[error("nothing was measured in {}", .0.display())]
    Nothing(PathBuf),
    #[error("nothing was measured: {0}")]
    NothingPossible(String),
    #[error("cannot write {}: {why}", path.display())]
    Write { path: PathBuf, why: String },
    #[error("cannot read {}: {why}", path.display())]
    Read { path: PathBuf, why: String },
    #[error(transparent)]
    Mpi(#[from] MpiError),
    #[error(transparent)]
    Machine(#[from] MachineError),
}
