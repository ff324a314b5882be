//! Ranks in calls that had not returned.

use serde::Serialize;

/// Ranks in calls that had not returned.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stuck {
    /// `deadlock`, or `stuck` where there is no ring of ranks that wait for each other.
    pub kind: &'static str,
    /// Whether it follows from the standard and the record that they cannot continue.
    pub is_certain: bool,
    /// One line: which ranks wait where, and for which ranks.
    pub text: String,
    /// What to do about it.
    pub advice: String,
    /// For a deadlock the ring, in which each rank waits for the next and the last for the first, then the others: at most 64.
    pub ranks: Vec<StuckRank>,
    /// Number of ranks that wait.
    pub waiting: u64,
    /// Ranks that the others wait for and that are in no such call themselves.
    pub awaited: Vec<Awaited>,
}

/// A rank in a call that had not returned.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StuckRank {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// C name of the function.
    pub function: &'static str,
    /// What it waits for, to be read after the name of the function: `from 1 (tag 7)`.
    pub what: String,
    /// Where it was called.
    pub site: Option<String>,
    /// When it was entered, ns since the origin.
    pub since_ns: u64,
    /// For how long it was open.
    pub open_ns: u64,
    /// Ranks that it needs.
    pub waits_for: Vec<i32>,
    /// Whether it belongs to the ring of a deadlock.
    pub in_ring: bool,
}

/// A rank that others wait for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Awaited {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// What it does: `has been outside MPI since MPI_Send at main a.c:12`.
    pub what: String,
    /// For how long it has, ns; 0 unknown.
    pub ns: u64,
}
