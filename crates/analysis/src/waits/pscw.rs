//! General active target synchronisation: `Win_post`, `Win_start`, `Win_complete`, `Win_wait`.

use mpiscope_store::{GroupId, RankId};

use super::rma::At;
use crate::explanation::{Cause, Wait, WaitKind};

/// An epoch in which a rank accesses others.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// `Win_start`.
    pub begin: At,
    /// The ranks that it names.
    pub group: GroupId,
    /// Accesses: target and call.
    pub calls: Vec<(RankId, At)>,
    /// `Win_complete`.
    pub end: At,
}

impl Access {
    /// Its targets: those that `Win_start` names, or, where that is unknown, those that it accesses.
    pub fn targets(&self, groups: &[Vec<RankId>]) -> Vec<RankId> {
        let named = self.group.index().and_then(|group| groups.get(group));
        let mut targets: Vec<RankId> = match named {
            Some(members) => members.clone(),
            None => self.calls.iter().map(|(target, _)| *target).collect(),
        };
        targets.retain(|target| target.is_some());
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// The last access to a target.
    pub fn last_to(&self, target: RankId) -> Option<At> {
        self.calls.iter().rev().find(|(t, _)| *t == target).map(|(_, at)| *at)
    }
}

/// An origin that accessed an exposed window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// The origin.
    pub origin: RankId,
    /// Its last access.
    pub last_access: At,
    /// Its `Win_complete`.
    pub complete: At,
}

/// Late post: a call of the epoch that cannot return before the last of its targets has posted.
///
/// ```text
/// origin  [start ==wait==|] [put] [complete]    wait = post.start − call.start
/// target                 [post]   …  [wait]
/// ```
///
/// Depending on the MPI, that call is `Win_start`, an access or `Win_complete` (MPI-5.0 §12.5.2): the one in which the post
/// falls. If the MPI waits for targets one after another, several calls wait; of several posts in one call, the last
/// counts. Source: Scalasca, *Late Post*.
pub fn late_posts(origin: RankId, access: &Access, posts: &[(RankId, At)], mut found: impl FnMut(Wait)) {
    let calls = std::iter::once(&access.begin).chain(access.calls.iter().map(|(_, at)| at)).chain([&access.end]);
    for call in calls {
        let during = posts.iter().filter(|(_, post)| call.start_ns < post.start_ns && post.start_ns <= call.end_ns);
        let Some((target, post)) = during.max_by_key(|(_, post)| post.start_ns) else { continue };
        found(Wait {
            kind: WaitKind::LatePost,
            rank: origin,
            row: call.row,
            facts: call.facts,
            start_ns: call.start_ns,
            end_ns: post.start_ns,
            cause: Some(Cause { rank: *target, at_ns: post.start_ns, row: post.row, facts: post.facts }),
        });
    }
}

/// Early wait: until the last access has finished, of the origin that completes last.
///
/// ```text
/// target  [post] [wait ==early wait==|==late complete==|]    wait = access.end − wait.start
/// origin         [start]        [put]                  [complete]
/// ```
///
/// Source: Scalasca, *Early Wait*.
pub fn early_wait(rank: RankId, wait: &At, exposure: &Exposure) -> Option<Wait> {
    let Exposure { origin, last_access, complete } = exposure;
    let end_ns = last_access.end_ns.min(wait.end_ns).min(complete.start_ns);
    (wait.start_ns < end_ns).then_some(Wait {
        kind: WaitKind::EarlyWait,
        rank,
        row: wait.row,
        facts: wait.facts,
        start_ns: wait.start_ns,
        end_ns,
        cause: Some(Cause { rank: *origin, at_ns: end_ns, row: last_access.row, facts: last_access.facts }),
    })
}

/// Late complete: from the last access to `Win_complete`, of the origin that completes last.
///
/// See [`early_wait`]. Source: Scalasca, *Late Complete*.
pub fn late_complete(rank: RankId, wait: &At, exposure: &Exposure) -> Option<Wait> {
    let Exposure { origin, last_access, complete } = exposure;
    let start_ns = wait.start_ns.max(last_access.end_ns);
    let end_ns = complete.start_ns.min(wait.end_ns);
    (start_ns < end_ns).then_some(Wait {
        kind: WaitKind::LateComplete,
        rank,
        row: wait.row,
        facts: wait.facts,
        start_ns,
        end_ns,
        cause: Some(Cause { rank: *origin, at_ns: complete.start_ns, row: complete.row, facts: complete.facts }),
    })
}
