//! Calls on windows, combined into epochs: posts and accesses here, locks in [`passive`](super::passive).
//!
//! The groups of `Win_post` and `Win_start` define the ranks of an epoch. The order of epochs does the rest: a window is posted
//! again only after all ranks that the post named have completed the previous epoch (MPI-5.0 §12.5.2), so of those posts
//! that name a rank, each belongs to one of its epochs. If a group is not recorded, the ranks of an epoch are those that it
//! accesses, and a post may be for any rank.

use std::collections::VecDeque;

use mpiscope_abi::role::{Epoch, Role, makes_request};
use mpiscope_store::{BEHIND, Behind, Call, CallInfo, CommId, GroupId, RankId, flags};
use rustc_hash::FxHashMap;

use super::passive::Passive;
use super::pscw::{Access, Exposure, early_wait, late_complete, late_posts};
use super::target_progress::Calls;
use crate::analysis::Input;
use crate::explanation::Wait;

/// A call on a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// Row.
    pub row: u64,
    /// Index of the call info.
    pub facts: u32,
    /// Entry.
    pub start_ns: u64,
    /// Return.
    pub end_ns: u64,
}

impl At {
    pub(super) fn new(row: u64, call: &Call) -> At {
        At { row, facts: call.facts, start_ns: call.start_ns, end_ns: call.end_ns }
    }
}

/// Not a call on a window.
const NO_WINDOW: u32 = u32::MAX;
/// At most this many accesses of an epoch, and lock epochs, are kept.
pub(super) const REMEMBERED: usize = 256;
/// At most this many exposure epochs are kept.
const POSTS: usize = 1 << 13;
/// For this many rows an epoch waits for its post, which may return later than the accesses. Fewer than the rows after which a
/// wait comes too late to be counted.
const ROWS: usize = BEHIND / 4;

/// State of one rank on one window.
#[derive(Default)]
struct Side {
    /// Posts, and the number of the first of them.
    posts: VecDeque<Post>,
    first_post: u64,
    /// The epoch in which this rank accesses others.
    access: Option<Access>,
    /// By target: number of the next post.
    next_post: FxHashMap<RankId, u64>,
}

struct Post {
    at: At,
    /// The ranks in its group.
    group: GroupId,
    /// Origins that have completed their accesses.
    exposures: Vec<Exposure>,
}

#[derive(Default)]
struct Window {
    sides: FxHashMap<RankId, Side>,
    /// Completed epochs, to be processed when all posts before their end are known.
    accesses: Vec<(RankId, Access)>,
    waits: Vec<(RankId, At)>,
    passive: Passive,
}

/// Epochs of all windows.
#[derive(Default)]
pub(super) struct Rma {
    windows: Vec<Window>,
    /// Window by rank and facts.
    of: Vec<Vec<u32>>,
    /// Members of groups, sorted.
    groups: Vec<Vec<RankId>>,
    /// Whether the group of some call is unknown.
    pub has_unknown_group: bool,
    behind: Behind,
    /// Recent calls, where locks are taken.
    calls: Calls,
    has_locks: bool,
    /// By rank and facts: what calls do with requests, where windows are accessed by requests.
    uses: Vec<Vec<Use>>,
    /// By rank: requests that are not complete.
    open: Vec<OpenRequests>,
}

/// What a call does with requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    None,
    /// Makes one for an access (`MPI_Rput` and its like).
    Access,
    /// Makes another one.
    Other,
    /// Waits for some.
    Completes,
}

impl Use {
    fn of(facts: &CallInfo) -> Use {
        match facts.role {
            Role::Complete if facts.flags & (flags::ASKS | flags::POLL) == 0 => Use::Completes,
            Role::Access if makes_request(facts.function) => Use::Access,
            _ if makes_request(facts.function) => Use::Other,
            _ => Use::None,
        }
    }
}

/// Requests that a rank has made since the last call that waited for requests. Which of them a call completes is not recorded: it is known
/// only as long as all requests are accesses to one window.
#[derive(Default)]
struct OpenRequests {
    window: Option<u32>,
    targets: Vec<RankId>,
    has_others: bool,
}

impl Rma {
    pub fn new(facts: &[Vec<CallInfo>], groups: &[Vec<RankId>]) -> Rma {
        let concerns = |f: &CallInfo| f.window != 0 && matches!(f.role, Role::Epoch(_) | Role::Access);
        if !facts.iter().flatten().any(concerns) {
            return Rma::default();
        }
        let has_locks = facts.iter().flatten().any(|f| f.role == Role::Epoch(Epoch::Lock));
        let mut known: FxHashMap<(CommId, usize), u32> = FxHashMap::default();
        let mut of = Vec::new();
        for rank in facts {
            // The same window has the same ordinal on all members of its communicator.
            let mut own: Vec<(CommId, u32)> =
                rank.iter().filter(|f| f.window != 0).map(|f| (f.comm, f.window)).collect();
            own.sort_unstable();
            own.dedup();
            let number = |f: &CallInfo| {
                if !concerns(f) {
                    return NO_WINDOW;
                }
                let begin = own.partition_point(|w| w.0 < f.comm);
                let ordinal = own.partition_point(|w| *w < (f.comm, f.window)) - begin;
                let next = known.len() as u32;
                *known.entry((f.comm, ordinal)).or_insert(next)
            };
            of.push(rank.iter().map(number).collect());
        }
        let windows = known.iter().map(|_| Window::default()).collect();
        let mut groups = groups.to_vec();
        groups.iter_mut().for_each(|members| members.sort_unstable());
        let uses: Vec<Vec<Use>> = facts.iter().map(|rank| rank.iter().map(Use::of).collect()).collect();
        let has_requests = has_locks && uses.iter().flatten().any(|of| *of == Use::Access);
        let uses = if has_requests { uses } else { Vec::new() };
        let open = facts.iter().map(|_| OpenRequests::default()).collect();
        Rma { windows, of, groups, has_locks, uses, open, ..Rma::default() }
    }

    /// Adds the calls of the next stretch.
    pub fn detect(&mut self, input: &Input<'_>, mut found: impl FnMut(Wait)) {
        if self.windows.is_empty() {
            return;
        }
        for (rank, (batch, of)) in input.batch.ranks.iter().zip(&self.of).enumerate() {
            let uses = self.uses.get(rank);
            for (call, row) in batch.calls.iter().zip(batch.first_row..) {
                let at = call.facts as usize;
                let Some(&window) = of.get(at) else { continue };
                let with_requests = uses.and_then(|uses| uses.get(at)).copied().unwrap_or(Use::None);
                if window == NO_WINDOW && with_requests == Use::None {
                    continue;
                }
                let facts = &input.facts[rank][at];
                let detail = (call.detail as usize).checked_sub(1).and_then(|d| batch.details.get(d));
                let target = detail.map_or(facts.peer, |d| d.peer);
                let rank_id = RankId(rank as u32);
                if let Some((of, targets)) = self.open[rank].next(with_requests, window, target)
                    && let Some(of) = self.windows.get_mut(of as usize)
                {
                    of.passive.completes(rank_id, At::new(row, call), targets);
                }
                let has_passed = facts.flags & (flags::FAILED | flags::POLL) == 0;
                if let Some(window) = self.windows.get_mut(window as usize).filter(|_| has_passed) {
                    let names_group = matches!(facts.role, Role::Epoch(Epoch::Post | Epoch::Start));
                    self.has_unknown_group |= names_group && !facts.group.is_some();
                    window.call(rank_id, row, call, facts, target);
                }
            }
        }
        if self.has_locks {
            self.calls.add(input.batch);
        }
        self.behind.push(input.batch);
        let until_ns = if input.batch.is_last { u64::MAX } else { self.behind.moment(ROWS, 0) };
        self.behind.forget(until_ns);
        self.windows.iter_mut().for_each(|w| w.detect(until_ns, &self.groups, &self.calls, &mut found));
        let of_pending = self.windows.iter().filter_map(|w| w.passive.pending_since()).min();
        self.calls.forget(of_pending.unwrap_or(until_ns).min(until_ns));
    }
}

impl OpenRequests {
    /// The next call. If it waits for accesses alone: their window and targets.
    fn next(&mut self, of: Use, window: u32, target: RankId) -> Option<(u32, Vec<RankId>)> {
        match of {
            Use::None => {}
            Use::Other => self.has_others = true,
            Use::Access => {
                self.has_others |= self.window.is_some_and(|known| known != window) || self.targets.len() >= REMEMBERED;
                self.window = Some(window);
                if !self.has_others && !self.targets.contains(&target) {
                    self.targets.push(target);
                }
            }
            Use::Completes if !self.has_others => {
                let open = std::mem::take(self);
                return open.window.map(|window| (window, open.targets));
            }
            Use::Completes => {}
        }
        None
    }
}

impl Window {
    fn call(&mut self, rank: RankId, row: u64, call: &Call, facts: &CallInfo, target: RankId) {
        let at = At::new(row, call);
        self.passive.call(rank, target, at, facts);
        let side = self.sides.entry(rank).or_default();
        match facts.role {
            Role::Epoch(Epoch::Post) => {
                side.posts.push_back(Post { at, group: facts.group, exposures: Vec::new() });
                if side.posts.len() > POSTS {
                    side.posts.pop_front();
                    side.first_post += 1;
                }
            }
            Role::Epoch(Epoch::Start) => {
                side.access = Some(Access { begin: at, group: facts.group, ..Access::default() });
            }
            Role::Access => {
                if let Some(access) = side.access.as_mut().filter(|a| a.calls.len() < REMEMBERED) {
                    access.calls.push((target, at));
                }
            }
            Role::Epoch(Epoch::Complete) => {
                if let Some(access) = side.access.take() {
                    self.accesses.push((rank, Access { end: at, ..access }));
                }
            }
            Role::Epoch(Epoch::Wait) => self.waits.push((rank, at)),
            _ => {}
        }
    }

    /// Processes everything that ended before `until_ns`.
    fn detect(&mut self, until_ns: u64, groups: &[Vec<RankId>], recent: &Calls, found: &mut impl FnMut(Wait)) {
        self.accesses.sort_by_key(|(_, access)| access.end.end_ns);
        let ready = self.accesses.partition_point(|(_, access)| access.end.end_ns < until_ns);
        for (origin, access) in self.accesses.drain(..ready) {
            let mut posts = Vec::new();
            for target in access.targets(groups) {
                let from = self.sides.get(&origin).and_then(|s| s.next_post.get(&target)).copied().unwrap_or(0);
                let Some(exposing) = self.sides.get_mut(&target) else { continue };
                let Some(number) = exposing.post_for(origin, from, &access.end, groups) else { continue };
                let Some(post) = exposing.posts.get_mut((number - exposing.first_post) as usize) else { continue };
                post.exposures.push(Exposure {
                    origin,
                    last_access: access.last_to(target).unwrap_or(access.begin),
                    complete: access.end,
                });
                posts.push((target, post.at));
                self.sides.entry(origin).or_default().next_post.insert(target, number + 1);
            }
            late_posts(origin, &access, &posts, &mut *found);
        }
        self.waits.sort_by_key(|(_, at)| at.end_ns);
        let ready = self.waits.partition_point(|(_, at)| at.end_ns < until_ns);
        for (rank, at) in self.waits.drain(..ready) {
            let posts = self.sides.get(&rank).map(|s| &s.posts);
            let own = posts.and_then(|p| p.get(posted_until(p, at.start_ns).checked_sub(1)?));
            let last = own.and_then(|post| post.exposures.iter().max_by_key(|e| (e.complete.start_ns, e.origin)));
            if let Some(exposure) = last {
                early_wait(rank, &at, exposure).into_iter().for_each(&mut *found);
                late_complete(rank, &at, exposure).into_iter().for_each(&mut *found);
            }
        }
        self.passive.detect(until_ns, recent, found);
    }
}

/// Number of a rank's consecutive posts that had started by then.
fn posted_until(posts: &VecDeque<Post>, ns: u64) -> usize {
    posts.partition_point(|post| post.at.start_ns <= ns)
}

impl Post {
    /// Whether its group contains `origin`, or is unknown.
    fn names(&self, origin: RankId, groups: &[Vec<RankId>]) -> bool {
        let members = self.group.index().and_then(|group| groups.get(group));
        members.is_none_or(|members| members.binary_search(&origin).is_ok())
    }
}

impl Side {
    /// The post that belongs to the epoch of `origin` which ended with `complete`, from number `from` on: of the posts that name
    /// the origin, the last one before `complete`, or the first one during it.
    fn post_for(&self, origin: RankId, from: u64, complete: &At, groups: &[Vec<RankId>]) -> Option<u64> {
        let first = from.saturating_sub(self.first_post).min(self.posts.len() as u64) as usize;
        let begun = posted_until(&self.posts, complete.start_ns).max(first);
        let names = |at: &usize| self.posts[*at].names(origin, groups);
        let before = (first..begun).rev().take(REMEMBERED).find(names);
        let during = || (begun..self.posts.len()).take(REMEMBERED).find(names);
        let at = before.or_else(|| during().filter(|&at| self.posts[at].at.start_ns <= complete.end_ns))?;
        Some(self.first_post + at as u64)
    }
}
