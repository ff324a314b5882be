//! What each kind of wait means; the texts of its findings.

use crate::rules::Rule;
use crate::wait::WaitKind;

/// Silence below 1 % of the rank time or 1 ms, whichever is more.
const THRESHOLD: &str = "1 % of the rank time of the run, and 1 ms";
const COMPLETION: &str = "3 % of the rank time of the run, and 1 ms";

/// Rules of this part.
pub const RULES: &[Rule] = &[
    Rule {
        id: "late_sender",
        what: "Ranks are in a receive, in the call that completes one, or in a probe, before the send has begun.",
        formula: "min(send.start, call.end) − call.start, of the last message the call needs (Scalasca: Late Sender).",
        threshold: THRESHOLD,
        doubt: "Follows from the rows. Between hosts it is as good as their clocks are in step.",
    },
    Rule {
        id: "wrong_order_same_source",
        what: "A late sender, while another message from the same rank that is received later was on its way already.",
        formula: "As late_sender, if a message from the same source with an earlier send is received by a later call \
                  (Scalasca: Late Sender, Wrong Order).",
        threshold: THRESHOLD,
        doubt: "Only if the rank does nothing but receive in between, and in the 64 calls before. Taking the other \
                message first helps only if there is something to do with it.",
    },
    Rule {
        id: "wrong_order_different_source",
        what: "A late sender, while a message from another rank that is received later was on its way already.",
        formula: "As late_sender, if a message from another source with an earlier send is received by a later call \
                  (Scalasca: Late Sender, Wrong Order).",
        threshold: THRESHOLD,
        doubt: "Only if the rank does nothing but receive in between, and in the 64 calls before. Taking the other \
                message first helps only if there is something to do with it.",
    },
    Rule {
        id: "late_receiver",
        what: "Ranks are in a send, or in the call that completes one, before the receive is posted.",
        formula: "min(receive.start, call.end) − call.start, if call.end ≥ receive.start and the message is larger \
                  than any that was sent without its receiver, or synchronous (Scalasca: Late Receiver).",
        threshold: THRESHOLD,
        doubt: "Whether a send has blocked follows from its return and its size. A run with MPI_Ssend in place of \
                MPI_Send shows the difference.",
    },
    Rule {
        id: "wait_at_barrier",
        what: "Ranks are in a barrier before the last one comes.",
        formula: "min(last.start, end) − start (Scalasca: Wait at Barrier).",
        threshold: THRESHOLD,
        doubt: "Follows from the rows. Between hosts it is as good as their clocks are in step.",
    },
    Rule {
        id: "barrier_completion",
        what: "Ranks leave a barrier later than the first.",
        formula: "end − max(first end, last.start) (Scalasca: Barrier Completion).",
        threshold: COMPLETION,
        doubt: "Large where more processes run than there are cores: the operating system decides who leaves when.",
    },
    Rule {
        id: "wait_at_nxn",
        what: "Ranks are in an operation that needs everybody before the last one comes.",
        formula: "min(last.start, end) − start (Scalasca: Wait at N×N). In neighbourhood operations the last of the \
                  neighbours. Not counted where somebody leaves before the last comes.",
        threshold: THRESHOLD,
        doubt: "Follows from the rows. Operations with counts of their own may need less than everybody.",
    },
    Rule {
        id: "nxn_completion",
        what: "Ranks leave an operation that needs everybody later than the first.",
        formula: "end − max(first end, last.start) (Scalasca: N×N Completion).",
        threshold: COMPLETION,
        doubt: "Includes the transfer of the data. Large where more processes run than there are cores.",
    },
    Rule {
        id: "late_broadcast",
        what: "Ranks are in MPI_Bcast or MPI_Scatter before the root.",
        formula: "min(root.start, end) − start (Scalasca: Late Broadcast).",
        threshold: THRESHOLD,
        doubt: "Follows from the rows. Waiting for another rank that forwards the data is not counted.",
    },
    Rule {
        id: "early_reduce",
        what: "The root is in MPI_Reduce or MPI_Gather before the others.",
        formula: "min(last other.start, end) − start (after Scalasca: Early Reduce, which counts until the first other).",
        threshold: THRESHOLD,
        doubt: "Follows from the rows.",
    },
    Rule {
        id: "early_scan",
        what: "Ranks are in MPI_Scan or MPI_Exscan before those with a lower rank.",
        formula: "min(max start of lower ranks, end) − start (Scalasca: Early Scan).",
        threshold: THRESHOLD,
        doubt: "Follows from the rows.",
    },
    Rule {
        id: "wait_at_fence",
        what: "Ranks are in MPI_Win_fence before the last one comes.",
        formula: "min(last.start, end) − start, if nobody leaves before (Scalasca: Wait at Fence).",
        threshold: THRESHOLD,
        doubt: "Follows from the rows.",
    },
    Rule {
        id: "late_post",
        what: "An access epoch waits in MPI_Win_start, an access or MPI_Win_complete for MPI_Win_post of its target.",
        formula: "post.start − call.start, of the last target that posts during the call (Scalasca: Late Post).",
        threshold: THRESHOLD,
        doubt: "Where the group is not in the recording, targets are those that the epoch accesses.",
    },
    Rule {
        id: "early_wait",
        what: "MPI_Win_wait is called before the others have ended their last access.",
        formula: "last access.end − wait.start (Scalasca: Early Wait).",
        threshold: THRESHOLD,
        doubt: "Where groups are not in the recording, origins are those that access the window.",
    },
    Rule {
        id: "late_complete",
        what: "MPI_Win_wait waits for MPI_Win_complete though the last access is over.",
        formula: "complete.start − max(last access.end, wait.start) (Scalasca: Late Complete).",
        threshold: THRESHOLD,
        doubt: "Where groups are not in the recording, origins are those that access the window.",
    },
    Rule {
        id: "lock_contention",
        what: "A call in a lock epoch waits until another rank unlocks the same target.",
        formula: "unlock.start − max(call.start, lock.start of the holder), if another rank unlocks the same target while the call lasts (of several, the \
                  last).",
        threshold: THRESHOLD,
        doubt: "Whether a lock is shared is not recorded; a transfer that happens to end with another's unlock looks \
                the same.",
    },
    Rule {
        id: "wait_for_progress",
        what: "A message that has begun comes only when the other side is in MPI again.",
        formula: "other completion.start − max(call.start, return of the other's call before that), 20 µs or more, only if the \
                  call did not return before the other side's completion began (Hoefler & Lumsdaine, Cluster 2008).",
        threshold: THRESHOLD,
        doubt: "Assumes that the transfer did not end by itself at the same time. MPICH_ASYNC_PROGRESS=1, or an \
                MPI_Test inside the computation, shows the difference.",
    },
];

/// Texts of a kind's findings.
pub(super) struct Texts {
    /// After "Rank 3 …".
    pub one: &'static str,
    /// A whole beginning when no single rank is to blame.
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
            "See what the late rank computes before its send; send as soon as the data are ready, or post the receive \
             early (MPI_Irecv) and compute until they are needed.",
        ),
        WaitKind::WrongOrderSameSource => text(
            "sends late, and what it has sent before is received later",
            "Messages of one sender are received in another order than they are sent",
            "Receive in the order of sending, or post all receives (MPI_Irecv) and take what comes (MPI_Waitany).",
        ),
        WaitKind::WrongOrderDifferentSource => text(
            "sends late, and messages of others that are there already are received after its own",
            "Receives wait for late messages while others are there already",
            "Post all receives (MPI_Irecv) and take what comes first (MPI_Waitany, MPI_Waitsome, or MPI_ANY_SOURCE).",
        ),
        WaitKind::LateReceiver => text(
            "receives late",
            "Receives are posted late",
            "Post the receive before the computation (MPI_Irecv), or send with MPI_Isend from a second buffer and complete \
             it a step later.",
        ),
        WaitKind::WaitAtBarrier => text(
            "is late at the barrier",
            "Barriers wait for whoever comes last",
            "Leave the barrier out if nothing needs it (messages synchronise by themselves); otherwise even out what is \
             computed before it.",
        ),
        WaitKind::BarrierCompletion => text(
            "holds up the end of the barrier",
            "Ranks leave barriers one after the other",
            "Leave out barriers that nothing needs; check that every process has a core of its own.",
        ),
        WaitKind::WaitAtNxn => text(
            "is late",
            "Collective operations wait for whoever comes last",
            "Even out what is computed before the operation; or begin it earlier and finish it later (MPI_Iallreduce … \
             MPI_Wait) if there is something to compute meanwhile.",
        ),
        WaitKind::NxnCompletion => text(
            "holds up the end of the operation",
            "Ranks leave collective operations one after the other",
            "Check that every process has a core of its own.",
        ),
        WaitKind::LateBroadcast => text(
            "is late with the data that it gives to the others",
            "Roots are late with the data that they give to the others",
            "Let the root broadcast as soon as the data are ready, before other work; or use MPI_Ibcast and wait where \
             the data are needed.",
        ),
        WaitKind::EarlyReduce => text(
            "is late with its part of a reduction",
            "Roots of reductions wait for the last part",
            "Let the root do other work before it collects (MPI_Ireduce … MPI_Wait), or even out what is computed before.",
        ),
        WaitKind::EarlyScan => text(
            "is late in a prefix operation",
            "Prefix operations wait for lower ranks",
            "Even out what is computed before the operation, lower ranks first; or use MPI_Iscan and wait later.",
        ),
        WaitKind::WaitAtFence => text(
            "is late at the fence",
            "Fences wait for whoever comes last",
            "Use MPI_Win_post/start/complete/wait, which involve neighbours only, or even out what is computed before.",
        ),
        WaitKind::LatePost => text(
            "opens its window late",
            "Windows are opened late",
            "Call MPI_Win_post as soon as the window may be changed, before computing.",
        ),
        WaitKind::EarlyWait => text(
            "accesses a window for long after its owner waits",
            "Owners of windows wait for accesses to end",
            "Call MPI_Win_wait later: compute between MPI_Win_post and MPI_Win_wait.",
        ),
        WaitKind::LateComplete => text(
            "ends its accesses late",
            "Accesses are ended late",
            "Call MPI_Win_complete directly after the last access, before computing.",
        ),
        WaitKind::LockContention => text(
            "holds a lock that others wait for",
            "Ranks wait for locks that others hold",
            "Hold locks shorter, use MPI_LOCK_SHARED with accumulate operations, or spread what is accessed over targets.",
        ),
        WaitKind::WaitForProgress => text(
            "has begun messages and computes outside MPI while they wait",
            "Messages wait until the other side enters MPI again",
            "Call MPI_Test now and then between the post and the Wait.",
        ),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kind_has_a_rule() {
        let ids: Vec<_> = super::RULES.iter().map(|r| r.id).collect();
        assert_eq!(ids, crate::wait::WaitKind::ALL.map(|k| k.id()));
    }
}
