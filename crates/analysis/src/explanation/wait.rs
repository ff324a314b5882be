//! A wait: time in a call that passes because another rank is late.

use mpiscope_store::RankId;
use serde::Serialize;

/// Kinds of wait states, by the names that the field uses. The id is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    /// A receive waits for a send that has not started.
    LateSender,
    /// The same, while another message from the same sender, which is received later, was already in flight.
    WrongOrderSameSource,
    /// The same with a message from another sender.
    WrongOrderDifferentSource,
    /// A send waits for the receive.
    LateReceiver,
    /// A barrier waits for the last rank.
    WaitAtBarrier,
    /// From the first return from a barrier, after the last entry, to the rank's own return.
    BarrierCompletion,
    /// An all-to-all operation waits for the last rank.
    WaitAtNxn,
    /// From the first return from such an operation to the rank's own return.
    NxnCompletion,
    /// Ranks wait for the root that has the data.
    LateBroadcast,
    /// The root enters early and waits for the contributions.
    EarlyReduce,
    /// A rank waits for lower ranks in a scan.
    EarlyScan,
    /// A fence waits for the last rank.
    WaitAtFence,
    /// `Win_start` or `Win_complete` waits for `Win_post`.
    LatePost,
    /// `Win_wait` waits for the last access to end.
    EarlyWait,
    /// `Win_wait` waits for `Win_complete` after the last access.
    LateComplete,
    /// A lock waits until another rank unlocks.
    LockContention,
    /// A message waits until the other side enters MPI again.
    WaitForProgress,
    /// A call on a locked window waits until its target enters MPI.
    RmaWaitForProgress,
}

impl WaitKind {
    /// The kinds that receives have.
    pub(crate) const OF_MESSAGES: [WaitKind; 3] =
        [WaitKind::LateSender, WaitKind::WrongOrderSameSource, WaitKind::WrongOrderDifferentSource];

    /// Whether it is a wait for other ranks to enter a collective operation.
    pub(crate) fn is_of_collectives(self) -> bool {
        use WaitKind::{EarlyReduce, EarlyScan, LateBroadcast, WaitAtBarrier, WaitAtFence, WaitAtNxn};
        matches!(self, WaitAtBarrier | WaitAtNxn | LateBroadcast | EarlyReduce | EarlyScan | WaitAtFence)
    }

    /// All of them.
    pub const ALL: [WaitKind; 18] = [
        WaitKind::LateSender,
        WaitKind::WrongOrderSameSource,
        WaitKind::WrongOrderDifferentSource,
        WaitKind::LateReceiver,
        WaitKind::WaitAtBarrier,
        WaitKind::BarrierCompletion,
        WaitKind::WaitAtNxn,
        WaitKind::NxnCompletion,
        WaitKind::LateBroadcast,
        WaitKind::EarlyReduce,
        WaitKind::EarlyScan,
        WaitKind::WaitAtFence,
        WaitKind::LatePost,
        WaitKind::EarlyWait,
        WaitKind::LateComplete,
        WaitKind::LockContention,
        WaitKind::WaitForProgress,
        WaitKind::RmaWaitForProgress,
    ];

    /// Stable id.
    pub fn id(self) -> &'static str {
        match self {
            WaitKind::LateSender => "late_sender",
            WaitKind::WrongOrderSameSource => "wrong_order_same_source",
            WaitKind::WrongOrderDifferentSource => "wrong_order_different_source",
            WaitKind::LateReceiver => "late_receiver",
            WaitKind::WaitAtBarrier => "wait_at_barrier",
            WaitKind::BarrierCompletion => "barrier_completion",
            WaitKind::WaitAtNxn => "wait_at_nxn",
            WaitKind::NxnCompletion => "nxn_completion",
            WaitKind::LateBroadcast => "late_broadcast",
            WaitKind::EarlyReduce => "early_reduce",
            WaitKind::EarlyScan => "early_scan",
            WaitKind::WaitAtFence => "wait_at_fence",
            WaitKind::LatePost => "late_post",
            WaitKind::EarlyWait => "early_wait",
            WaitKind::LateComplete => "late_complete",
            WaitKind::LockContention => "lock_contention",
            WaitKind::WaitForProgress => "wait_for_progress",
            WaitKind::RmaWaitForProgress => "rma_wait_for_progress",
        }
    }
}

/// What caused a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The late rank.
    pub rank: RankId,
    /// When the late call began.
    pub at_ns: u64,
    /// Its row.
    pub row: u64,
    /// Its facts.
    pub facts: u32,
}

/// A stretch of waiting inside one call. Waits of one call do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// What kind.
    pub kind: WaitKind,
    /// Who waits.
    pub rank: RankId,
    /// In which call: its row.
    pub row: u64,
    /// Facts of that call.
    pub facts: u32,
    /// Beginning.
    pub start_ns: u64,
    /// End: never after the return of the call.
    pub end_ns: u64,
    /// What caused it, if a rank did.
    pub cause: Option<Cause>,
}

impl Wait {
    /// How long.
    pub fn ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

/// Waits of one kind, rank, cause and place, summed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WaitRow {
    /// Id of the kind.
    pub id: &'static str,
    /// Who waits, rank in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// The rank that it waits for; `None` if there is no single one, and for further waits where very many
    /// ranks wait for very many.
    pub cause_rank: Option<i32>,
    /// C name of the function that waits.
    pub function: &'static str,
    /// Where it was called.
    pub site: Option<String>,
    /// Region of the program.
    pub region: Option<String>,
    /// Sum of waits.
    pub wait_ns: u64,
    /// Number of waits.
    pub count: u64,
}
