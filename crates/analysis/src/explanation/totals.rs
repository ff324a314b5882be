//! Totals of a run: where time went, what was matched.

use serde::Serialize;

/// Rank time, ns, between initialisation and finalization, by what it was spent on. The parts add up to
/// [`super::Scope::rank_time_ns`] if no rows are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimeSplit {
    /// Outside MPI.
    pub computing_ns: u64,
    /// In MPI, waiting for a late rank.
    pub waiting_ns: u64,
    /// In MPI, other than waiting.
    pub communicating_ns: u64,
}

/// Rank time in one function called at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceTime {
    /// C name of the function.
    pub function: &'static str,
    /// Call site, if it is known.
    pub site: Option<String>,
    /// Region around it.
    pub region: Option<String>,
    /// Calls on first threads.
    pub calls: u64,
    /// As in [`TimeSplit`].
    pub waiting_ns: u64,
    /// As in [`TimeSplit`].
    pub communicating_ns: u64,
}

/// How well the two sides of communication were matched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Matching {
    /// Messages of which both sides are known.
    pub messages: u64,
    /// Of those: whose source was not recorded and follows from order and time.
    pub messages_inferred: u64,
    /// Sends and receives whose other side was overwritten in its ring, or cannot be read.
    pub lone_overwritten: u64,
    /// The same of processes that were not recorded.
    pub lone_peer_unknown: u64,
    /// Sends that were never received.
    pub sends_never_received: u64,
    /// Receives that never received a message.
    pub receives_never_sent: u64,
    /// Collective operations of which all members are known.
    pub collectives: u64,
    /// Those of which some are missing.
    pub collectives_incomplete: u64,
    /// Messages that were received before they were sent, and synchronising operations that a rank left before the last
    /// one entered: the clocks are wrong.
    pub causality_violations: u64,
    /// The worst of them, ns.
    pub causality_worst_ns: u64,
    /// Those that exceed the known error of the clocks, or are between ranks on one host.
    pub causality_beyond_error: u64,
}

/// Completion calls that received about the same number of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionRow {
    /// C name of the function.
    pub function: &'static str,
    /// 0 for no bytes, k for 2^(k−1) to 2^k − 1; 31 also for everything above.
    pub bin: u8,
    /// Calls.
    pub calls: u64,
    /// In them.
    pub time_ns: u64,
    /// Shortest.
    pub min_ns: u64,
    /// Longest.
    pub max_ns: u64,
    /// Received with them.
    pub bytes_received: u64,
}
