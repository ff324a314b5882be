//! What each kind of wait means; the texts of its findings.

use crate::explanation::{Relations, Rule, WaitKind, WithoutCore};

/// Nothing is reported below 1 % of the rank time or 1 ms, whichever is more.
const THRESHOLD: &str = "1 % of the rank time of the run, and 1 ms";
const COMPLETION: &str = "3 % of the rank time of the run, and 1 ms";

const NEEDED: &str = "The run without these waits: an upper bound, because the program needs what it waits for.";
const REORDER: &str = "The run in which the late message is received after those that have already arrived, together with the \
                       computation that follows it. If that saves less than 1 %, the wait is a late_sender.";
/// Time after the last rank has entered is inside the calls themselves.
const COMPLETED: Relations = Relations { without_core: Some(WithoutCore::Completion), ..Relations::IN_CALLS };

/// Rules of this part.
pub const RULES: &[Rule] = &[
    Rule {
        id: "late_sender",
        what: "A rank is in a receive, in the call that completes it, or in a probe before the matching send starts.",
        formula: "min(send.start, call.end) − call.start, of the last message the call needs (Scalasca: Late Sender).",
        threshold: THRESHOLD,
        doubt: "Computed directly from the recorded calls. Between hosts it is as accurate as their clocks are synchronised.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "wrong_order_same_source",
        what: "A late sender, while another message from the same rank, which is received later, was already in flight.",
        formula: "As late_sender, if a message from the same source with an earlier send is received by a later call \
                  (Scalasca: Late Sender, Wrong Order).",
        threshold: THRESHOLD,
        doubt: "Detected only if the rank does nothing but receive in between, and only within the last 64 calls. Receiving the \
                other message first helps only if the rank can already use it.",
        saving: REORDER,
        relations: Relations::LATE,
    },
    Rule {
        id: "wrong_order_different_source",
        what: "A late sender, while a message from another rank, which is received later, was already in flight.",
        formula: "As late_sender, if a message from another source with an earlier send is received by a later call \
                  (Scalasca: Late Sender, Wrong Order).",
        threshold: THRESHOLD,
        doubt: "Detected only if the rank does nothing but receive in between, and only within the last 64 calls. Receiving the \
                other message first helps only if the rank can already use it.",
        saving: REORDER,
        relations: Relations::LATE,
    },
    Rule {
        id: "late_receiver",
        what: "A rank is in a send, or in the call that completes it, before the matching receive is posted.",
        formula: "min(receive.start, call.end) − call.start, if call.end ≥ receive.start and the message is synchronous or \
                  larger than any whose send returned without its receiver (Scalasca: Late Receiver). A smaller one waits for \
                  the receive of an earlier message, if 16 or more to this receiver, and at least half of the most at any time \
                  before, have not been received: there is no room for more.",
        threshold: THRESHOLD,
        doubt: "Whether a send blocked is inferred from when it returned and from its size. To check, replace MPI_Send by \
                MPI_Ssend and compare.",
        saving: "The run in which sends do not wait for the receive: MPI_Isend completed later, or an eager limit where this \
                 MPI has one that helps.",
        relations: Relations::LATE,
    },
    Rule {
        id: "wait_at_barrier",
        what: "Ranks wait in a barrier until the last rank enters it.",
        formula: "min(last.start, end) − start (Scalasca: Wait at Barrier).",
        threshold: THRESHOLD,
        doubt: "Computed directly from the recorded calls. Between hosts it is as accurate as their clocks are synchronised.",
        saving: "The run without these barriers.",
        relations: Relations::LATE,
    },
    Rule {
        id: "barrier_completion",
        what: "Ranks leave a barrier later than the first rank does.",
        formula: "end − max(first end, last.start) (Scalasca: Barrier Completion).",
        threshold: COMPLETION,
        doubt: "Large where there are more processes than cores: the operating system decides which rank leaves when.",
        saving: "The run in which these calls take less time by the cost.",
        relations: COMPLETED,
    },
    Rule {
        id: "wait_at_nxn",
        what: "Ranks wait in a collective operation that needs data of all ranks until the last rank enters it.",
        formula: "min(last.start, end) − start (Scalasca: Wait at N×N). In neighbourhood collectives, last is the last of \
                  the neighbours. Not counted where a rank leaves before the last one enters.",
        threshold: THRESHOLD,
        doubt: "Computed directly from the recorded calls. The vector variants (such as MPI_Alltoallv) may need data of fewer ranks.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "nxn_completion",
        what: "Ranks leave a collective operation that needs data of all ranks later than the first rank does.",
        formula: "end − max(first end, last.start) (Scalasca: N×N Completion).",
        threshold: COMPLETION,
        doubt: "Includes the transfer of the data. Large where there are more processes than cores.",
        saving: "The run in which these calls take less time by the cost.",
        relations: COMPLETED,
    },
    Rule {
        id: "late_broadcast",
        what: "Ranks wait in MPI_Bcast or MPI_Scatter until the root enters it.",
        formula: "min(root.start, end) − start (Scalasca: Late Broadcast).",
        threshold: THRESHOLD,
        doubt: "Computed directly from the recorded calls. Waiting for another rank that forwards the data is not counted.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "early_reduce",
        what: "The root waits in MPI_Reduce or MPI_Gather until the other ranks enter it.",
        formula: "min(last other.start, end) − start (based on Scalasca: Early Reduce, which counts only until the first of the others enters).",
        threshold: THRESHOLD,
        doubt: "Computed directly from the recorded calls.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "early_scan",
        what: "Ranks wait in MPI_Scan or MPI_Exscan until all lower ranks have entered it.",
        formula: "min(max start of lower ranks, end) − start (Scalasca: Early Scan).",
        threshold: THRESHOLD,
        doubt: "Computed directly from the recorded calls.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "wait_at_fence",
        what: "Ranks wait in MPI_Win_fence until the last rank enters it.",
        formula: "min(last.start, end) − start, if no rank leaves before that (Scalasca: Wait at Fence).",
        threshold: THRESHOLD,
        doubt: "Computed directly from the recorded calls.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "late_post",
        what: "MPI_Win_start, an access or MPI_Win_complete waits until the target calls MPI_Win_post.",
        formula: "post.start − call.start, of the last target that posts during the call (Scalasca: Late Post).",
        threshold: THRESHOLD,
        doubt: "If the group was not recorded, the ranks that the epoch accesses count as its targets.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "early_wait",
        what: "MPI_Win_wait is called before the origins have finished their last access.",
        formula: "last access.end − wait.start (Scalasca: Early Wait).",
        threshold: THRESHOLD,
        doubt: "If the groups were not recorded, the ranks that access the window count as its origins.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "late_complete",
        what: "MPI_Win_wait waits for MPI_Win_complete although the last access has finished.",
        formula: "complete.start − max(last access.end, wait.start) (Scalasca: Late Complete).",
        threshold: THRESHOLD,
        doubt: "If the groups were not recorded, the ranks that access the window count as its origins.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "lock_contention",
        what: "A call in a passive target epoch waits until another rank unlocks the same target.",
        formula: "unlock.start − max(call.start, lock.start of the holder), if another rank unlocks the same target during the call \
                  (if several do, the last one).",
        threshold: THRESHOLD,
        doubt: "Whether a lock is shared is not recorded. A transfer that happens to finish when another rank unlocks looks the \
                same.",
        saving: NEEDED,
        relations: Relations::LATE,
    },
    Rule {
        id: "wait_for_progress",
        what: "A message or a non-blocking collective operation that was started completes only when another rank enters MPI again.",
        formula: "start of the other side's completing call − max(call.start, end of the other side's previous call), if 20 µs or \
                  more and the call did not return before the other side's completing call started (Hoefler & Lumsdaine, \
                  Cluster 2008). In a non-blocking collective operation: the member that completes it last, if the call returns within a \
                  quarter of that time after that.",
        threshold: THRESHOLD,
        doubt: "Assumes that the transfer did not happen to finish at the same time on its own. To check, set \
                MPICH_ASYNC_PROGRESS=1, or call MPI_Test inside the computation, and compare.",
        saving: "The run in which messages move while the other side computes.",
        relations: Relations::LATE,
    },
    Rule {
        id: "rma_wait_for_progress",
        what: "A call of a passive target epoch returns only when its target enters MPI.",
        formula: "start of the target's call − max(call.start, end of the target's call before that), if 5 µs or more, and the call returns \
                  within a quarter of that time after the target's call started (Scalasca: RMA Wait for Progress). Not counted on \
                  windows where more than one in four MPI_Win_flush or MPI_Win_unlock returned while the target was outside MPI.",
        threshold: THRESHOLD,
        doubt: "Assumes that the access did not happen to finish when the target entered MPI. To check, let the target call \
                MPI_Iprobe inside its computation, and compare.",
        saving: "The run in which accesses do not wait for their target.",
        relations: Relations::LATE,
    },
];

/// The rule of a kind.
pub(super) fn rule(kind: WaitKind) -> &'static Rule {
    // In the order of the kinds.
    &RULES[kind as usize]
}

/// Texts of a kind's findings.
pub(super) struct Texts {
    /// After "Rank 3 …".
    pub one: &'static str,
    /// The title's beginning where no single rank is the cause.
    pub many: &'static str,
    /// What to try.
    pub advice: &'static str,
}

pub(super) fn texts(kind: WaitKind) -> Texts {
    let text = |one, many, advice| Texts { one, many, advice };
    match kind {
        WaitKind::LateSender => text(
            "sends late",
            "Messages are sent late",
            "Check what the late rank computes before its send. Send as soon as the data are ready, or post the receive \
             early (MPI_Irecv) and compute until the data are needed.",
        ),
        WaitKind::WrongOrderSameSource => text(
            "sends late, while a message that it sent earlier is received later",
            "Messages of one sender are received in a different order than they were sent",
            "Receive in the order of sending, or post all receives (MPI_Irecv) and process whichever arrives first \
             (MPI_Waitany).",
        ),
        WaitKind::WrongOrderDifferentSource => text(
            "sends late, while messages of other ranks that were already in flight are received later",
            "Receives wait for late messages while other messages were already in flight",
            "Post all receives (MPI_Irecv) and process whichever arrives first (MPI_Waitany, MPI_Waitsome, or MPI_ANY_SOURCE).",
        ),
        WaitKind::LateReceiver => text(
            "receives late",
            "Receives are posted late",
            "Post the receive before the computation (MPI_Irecv), or send with MPI_Isend from a second buffer and complete \
             it a step later.",
        ),
        WaitKind::WaitAtBarrier => text(
            "enters the barrier late",
            "Barriers wait for the last rank",
            "Remove the barrier if nothing needs it (messages already synchronise); otherwise balance the computation \
             before it.",
        ),
        WaitKind::BarrierCompletion => text(
            "delays the completion of the barrier",
            "Ranks leave barriers one after another",
            "Remove barriers that nothing needs. Check that every process has its own core.",
        ),
        WaitKind::WaitAtNxn => text(
            "enters the operation late",
            "Collective operations wait for the last rank",
            "Balance the computation before the operation; or start it earlier and complete it later (MPI_Iallreduce … \
             MPI_Wait) if there is something to compute meanwhile.",
        ),
        WaitKind::NxnCompletion => text(
            "delays the completion of the operation",
            "Ranks leave collective operations one after another",
            "Check that every process has its own core.",
        ),
        WaitKind::LateBroadcast => text(
            "enters the operation late as its root",
            "Ranks wait for a late root",
            "Let the root broadcast as soon as the data are ready, before other work; or use MPI_Ibcast and wait where \
             the data are needed.",
        ),
        WaitKind::EarlyReduce => text(
            "contributes late to a reduction",
            "Roots of reductions wait for the last contribution",
            "Let the root do other work before it collects the data (MPI_Ireduce … MPI_Wait), or balance the computation \
             before the reduction.",
        ),
        WaitKind::EarlyScan => text(
            "contributes late to a scan",
            "Scans wait for lower ranks",
            "Balance the computation before the operation, lower ranks first; or use MPI_Iscan and wait later.",
        ),
        WaitKind::WaitAtFence => text(
            "enters the fence late",
            "Fences wait for the last rank",
            "Use MPI_Win_post/start/complete/wait, which involve only the communicating ranks, or balance the computation \
             before the fence.",
        ),
        WaitKind::LatePost => text(
            "posts its exposure epoch late",
            "Exposure epochs are posted late",
            "Call MPI_Win_post as soon as the window may be accessed, before computing.",
        ),
        WaitKind::EarlyWait => text(
            "still accesses a window while the target waits in MPI_Win_wait",
            "Targets wait in MPI_Win_wait for accesses to finish",
            "Call MPI_Win_wait later: compute between MPI_Win_post and MPI_Win_wait.",
        ),
        WaitKind::LateComplete => text(
            "calls MPI_Win_complete late",
            "MPI_Win_complete is called late",
            "Call MPI_Win_complete directly after the last access, before computing.",
        ),
        WaitKind::LockContention => text(
            "holds a lock that other ranks wait for",
            "Ranks wait for locks that other ranks hold",
            "Hold locks for a shorter time, use MPI_LOCK_SHARED with accumulate operations, or spread the accesses over \
             several targets.",
        ),
        WaitKind::WaitForProgress => text(
            "starts messages and then computes outside MPI without making progress",
            "Messages make no progress until the other side enters MPI again",
            "Call MPI_Test from time to time between the start of the operation and the wait.",
        ),
        WaitKind::RmaWaitForProgress => text(
            "computes outside MPI while other ranks lock its window",
            "Accesses to a window wait until its rank enters MPI",
            "This MPI grants locks and completes accesses only while the target is in a call. Access the window when its rank is \
             in MPI anyway, call MPI_Iprobe from time to time inside the computation of the target, or give the MPI a core for \
             a progress thread.",
        ),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kind_has_a_rule() {
        let ids: Vec<_> = super::RULES.iter().map(|r| r.id).collect();
        assert_eq!(ids, crate::explanation::WaitKind::ALL.map(|k| k.id()));
    }
}
