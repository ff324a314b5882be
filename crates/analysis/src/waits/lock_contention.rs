//! A lock waits until another rank unlocks.

use mpiscope_store::RankId;

use super::rma::At;
use crate::explanation::{Cause, Wait, WaitKind};

/// A lock that was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The rank that holds it.
    pub rank: RankId,
    /// The target; [`RankId::NONE`] for all.
    pub target: RankId,
    /// `Win_lock`.
    pub lock: At,
    /// `Win_unlock`.
    pub unlock: At,
}

/// Lock contention: a call that locks, or accesses a locked target, waits until another rank unlocks the same
/// target.
///
/// ```text
/// holder  [lock] computes      [unlock]
/// rank            [lock ==wait==|-]             wait = unlock.start − max(call.start, holder's lock.start)
/// ```
///
/// Time before the holder itself requested the lock was not contention with it: the target made no progress then.
///
/// An MPI may take the lock only with the first access or with `Win_unlock` (MPI-5.0 §12.5.3), so any call of the
/// epoch may wait. It counts only if the other rank unlocks during the call.
pub fn lock_contention(rank: RankId, target: RankId, call: &At, holder: &Holder) -> Option<Wait> {
    let same = holder.target == target || holder.target == RankId::NONE || target == RankId::NONE;
    let unlocks = call.start_ns < holder.unlock.start_ns && holder.unlock.start_ns <= call.end_ns;
    let other = holder.rank != rank && holder.lock.end_ns <= holder.unlock.start_ns;
    (same && unlocks && other).then_some(Wait {
        kind: WaitKind::LockContention,
        rank,
        row: call.row,
        facts: call.facts,
        start_ns: call.start_ns.max(holder.lock.start_ns),
        end_ns: holder.unlock.start_ns,
        cause: Some(Cause {
            rank: holder.rank,
            at_ns: holder.unlock.start_ns,
            row: holder.unlock.row,
            facts: holder.unlock.facts,
        }),
    })
}
