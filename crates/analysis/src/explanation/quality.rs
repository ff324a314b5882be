//! Rows about the quality of communication.

use serde::Serialize;

/// A path of messages and its speed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpeedRow {
    /// `point-to-point same node`, `point-to-point other node`, or `call same node`, `call other node`: how long the
    /// sending call itself takes.
    pub class: &'static str,
    /// Function that sends.
    pub function: &'static str,
    /// Messages measured.
    pub messages: u64,
    /// Lines through their times, by size.
    pub segments: Vec<SpeedSegment>,
    /// Largest size whose sends do not wait for the receiver; `None` if the run does not show it.
    pub eager_limit_bytes: Option<u64>,
    /// Smallest size whose sends do.
    pub rendezvous_from_bytes: Option<u64>,
    /// Share of the sends with a late receiver that agree with these limits.
    pub eager_confidence: Option<f64>,
}

/// A line through times of messages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpeedSegment {
    /// Smallest size.
    pub from_bytes: u64,
    /// Largest size.
    pub to_bytes: u64,
    /// Time of an empty message by this line.
    pub latency_ns: f64,
    /// Bandwidth; `None` if the size makes no difference.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Number of sizes that the line was fitted to.
    pub points: usize,
    /// Root of the mean squared relative error.
    pub residual: f64,
}

/// Collective operations of one function, place, communicator and power of two of bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CollectiveRow {
    /// C name.
    pub function: &'static str,
    /// Where it was called.
    pub site: Option<String>,
    /// Communicator.
    pub comm: String,
    /// Ranks that took part.
    pub ranks: u64,
    /// Operations.
    pub count: u64,
    /// Bytes moved by all of them.
    pub bytes: u64,
    /// Rank time spent before the last rank entered (the root, if all ranks wait for it).
    pub wait_ns: u64,
    /// Rank time spent after that.
    pub transfer_ns: u64,
    /// Time from the last entry to the last return, summed over operations.
    pub elapsed_ns: u64,
    /// Bytes moved / `elapsed_ns`.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// The best bandwidth of operations of the same function, communicator size and number of bytes in this run.
    pub best_bandwidth_bytes_per_s: Option<f64>,
    /// Bandwidth per rank, as a share of the copy bandwidth of one core; `None` where that was not measured, and on several
    /// hosts.
    pub copy_share: Option<f64>,
}

/// Operations posted at one call site and completed at another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OverlapRow {
    /// Function that posts.
    pub function: &'static str,
    /// Where.
    pub site: Option<String>,
    /// Function that completes.
    pub completed_by: &'static str,
    /// Where.
    pub completed_at: Option<String>,
    /// Operations.
    pub count: u64,
    /// Their payload.
    pub bytes: u64,
    /// Sum of times from the return of the posting call to the return of the completing one.
    pub flight_ns: u64,
    /// Time in completing calls; divided among operations completed together.
    pub wait_ns: u64,
    /// Sum of times between posting and completing call.
    pub away_ns: u64,
    /// Time in completing calls in which data were transferred that could have been transferred before.
    pub missed_ns: u64,
}

/// Messages that were received at one call site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnexpectedRow {
    /// Function that posts the receive.
    pub function: &'static str,
    /// Where.
    pub site: Option<String>,
    /// Messages.
    pub messages: u64,
    /// Of them, those whose send began before the receive was posted.
    pub unexpected: u64,
    /// Bytes of these.
    pub unexpected_bytes: u64,
    /// Of these, messages that had been sent completely: the MPI had to buffer a copy.
    pub kept: u64,
    /// Bytes of the copies.
    pub kept_bytes: u64,
    /// Time in calls that received them.
    pub receive_ns: u64,
}

/// Queues of a rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueueRow {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// The most receives that were posted and had no message yet; a lower bound.
    pub posted_max: u64,
    /// The most messages that had been sent, or were in flight, and had no receive yet.
    pub unexpected_max: u64,
    /// The most bytes at once of messages that had been sent completely and had no receive yet, which the MPI had to buffer; a lower bound.
    pub kept_bytes_max: u64,
    /// The most sends that were pending.
    pub sends_max: u64,
    /// Messages received.
    pub messages: u64,
    /// Of them unexpected.
    pub unexpected: u64,
    /// Messages received before earlier messages of the same sender.
    pub out_of_order: u64,
}
