//! The critical path: what the run would have been shorter by, had it been shorter.
//!
//! Seen from the end it goes backwards on a rank until that has waited for somebody, and goes on there
//! (Böhme, Wolf, de Supinski, Schulz & Geimer, "Scalable critical-path based performance analysis", IPDPS 2012).
//! Here it is found forwards: each wait begins a *segment*, whose parent is the segment of the one waited for, up to
//! the late call. Segments that no rank's present descends from are forgotten; chains of them are summed up.
//!
//! Before rows of a rank are forgotten, the segment that its present belongs to is cut there: a new parent takes what lies
//! before. Waits for one rank at one moment share a parent too. So what is summed up stands in one place, also where
//! thousands of ranks wait for one that never waits itself.

use std::collections::VecDeque;

use mpiscope_store::RankId;
use rustc_hash::FxHashMap;

use super::rows::OfRank;
use crate::explanation::Wait;
use crate::slab::put_in_turn;

const NONE: u32 = u32::MAX;
/// Segments of a rank that are looked at one by one.
const NEAR: usize = 16;

/// A share of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Piece {
    pub rank: u32,
    /// Facts of the call; of computing, those of the call after it.
    pub facts: u32,
    pub is_computing: bool,
}

pub(super) type Profile = FxHashMap<Piece, u64>;

#[derive(Default)]
struct Segment {
    rank: u32,
    /// It begins in this row at this moment.
    row: u64,
    from_ns: u64,
    parent: u32,
    /// Row of the parent's rank that was waited for.
    parent_row: u64,
    /// When that began.
    at_ns: u64,
    /// Whether what lies between the beginning of the parent and `at_ns` is summed up in `before`.
    is_summed: bool,
    before: Profile,
    /// Jumps that `before` has taken.
    jumps: u64,
    is_marked: bool,
    children: u32,
    child: u32,
}

/// Paths to where each rank is now.
#[derive(Default)]
pub(super) struct Paths {
    segments: Vec<Segment>,
    free: VecDeque<u32>,
    /// By rank: segments that rows which are kept belong to, oldest first.
    of_rank: Vec<Vec<(u64, u32)>>,
}

impl Paths {
    pub fn new(ranks: &[OfRank]) -> Paths {
        let mut paths = Paths::default();
        for (rank, of) in ranks.iter().enumerate() {
            paths.segments.push(Segment {
                rank: rank as u32,
                from_ns: of.last_end_ns,
                parent: NONE,
                is_summed: true,
                ..Segment::default()
            });
            paths.of_rank.push(vec![(0, rank as u32)]);
        }
        paths
    }

    /// The segment in which a rank entered `row`.
    fn at_entry(&self, rank: u32, row: u64) -> Option<u32> {
        let list = self.of_rank.get(rank as usize)?;
        // Nearly always one of the last.
        let near = list.len().saturating_sub(NEAR);
        let next = match list.get(near) {
            Some(&(from, _)) if from < row => near + list[near..].iter().take_while(|&&(from, _)| from < row).count(),
            _ => list[..near].partition_point(|&(from, _)| from < row),
        };
        list.get(next.max(1) - 1).map(|&(_, segment)| segment)
    }

    /// A wait is over: from here the path comes from the one waited for.
    pub fn waited(&mut self, wait: &Wait, ranks: &[OfRank]) {
        let Some(cause) = wait.cause.filter(|c| c.rank != wait.rank && c.at_ns <= wait.end_ns) else { return };
        // Of rows that are forgotten nobody knows any more what came before them.
        if ranks.get(cause.rank.0 as usize).is_none_or(|of| cause.row < of.rows.first()) {
            return;
        }
        let Some(parent) = self.at_entry(cause.rank.0, cause.row) else { return };
        let Some(list) = self.of_rank.get_mut(wait.rank.0 as usize) else { return };
        let segment = Segment {
            rank: wait.rank.0,
            row: wait.row,
            from_ns: wait.end_ns,
            parent,
            parent_row: cause.row,
            at_ns: cause.at_ns,
            jumps: 1,
            ..Segment::default()
        };
        let index = put_in_turn(&mut self.segments, &mut self.free, segment);
        // Another wait in the same row takes the place of the one before.
        let has_others = list.len() > 1;
        match list.last_mut().filter(|(row, _)| *row == wait.row && has_others) {
            Some(last) => last.1 = index,
            None => list.push((wait.row, index)),
        }
    }

    /// What lies on a segment from its beginning to the entry of `until_row` at `until_ns`.
    fn sum(segment: &Segment, of: &OfRank, until_row: u64, until_ns: u64, into: &mut Profile) {
        let mut now_ns = segment.from_ns;
        let mut add = |facts: u32, is_computing: bool, ns: u64| {
            if ns > 0 {
                *into.entry(Piece { rank: segment.rank, facts, is_computing }).or_default() += ns;
            }
        };
        let mut last = u32::MAX;
        for row in of.rows.between(segment.row, until_row).filter(|r| !r.is_aside) {
            let start_ns = row.start_ns.clamp(now_ns, until_ns.max(now_ns));
            let end_ns = row.end_ns.clamp(start_ns, until_ns.max(start_ns));
            add(row.facts, true, start_ns - now_ns);
            add(row.facts, false, end_ns - start_ns);
            (now_ns, last) = (end_ns, row.facts);
        }
        let facts = of.get(until_row).map_or(last, |r| r.facts);
        add(facts, true, until_ns.saturating_sub(now_ns));
    }

    /// Forgets rows before `old` of each rank: sums up what will be needed of them.
    pub fn retire(&mut self, ranks: &[OfRank], old: &[u64]) {
        for (rank, (list, &old)) in self.of_rank.iter_mut().zip(old).enumerate() {
            // The last one that begins before the first row that stays is needed for what enters that one.
            let first = list.partition_point(|&(row, _)| row < old).saturating_sub(1);
            list.drain(..first);
            debug_assert!(!list.is_empty(), "rank {rank} is nowhere");
        }
        self.mark();
        self.sum_old(ranks, old);
        let cuts = old.iter().enumerate().filter_map(|(rank, &old)| self.cut(rank, &ranks[rank], old)).collect();
        self.move_past(&cuts);
        self.compress();
    }

    /// Sums up what lies before segments, as far as it ends in rows that will be forgotten.
    fn sum_old(&mut self, ranks: &[OfRank], old: &[u64]) {
        let is_old = |segment: &Segment, parent: &Segment| {
            let old = old[parent.rank as usize];
            // Of what goes on behind the cut, the cut will be the beginning.
            parent.row < old && (segment.parent_row < old || !self.goes_on(segment.parent, parent.rank))
        };
        let mut ending: Vec<(u32, u64, u64, u32)> = Vec::new();
        for (at, segment) in self.segments.iter().enumerate().filter(|(_, s)| s.is_marked && !s.is_summed) {
            if is_old(segment, &self.segments[segment.parent as usize]) {
                ending.push((segment.parent, segment.parent_row, segment.at_ns, at as u32));
            }
        }
        ending.sort_unstable();
        for alike in ending.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
            let at = match alike {
                [only] => only.3,
                _ => self.join(alike),
            };
            self.sum_before(at as usize, ranks);
        }
    }

    /// Whether a rank's present belongs to a segment.
    fn goes_on(&self, segment: u32, rank: u32) -> bool {
        self.of_rank[rank as usize].first().is_some_and(|&(_, first)| first == segment)
    }

    /// A new parent of segments that come from the same place: parent, row, moment, number of each.
    fn join(&mut self, alike: &[(u32, u64, u64, u32)]) -> u32 {
        let (parent, row, at_ns, child) = alike[0];
        let joint = Segment {
            rank: self.segments[parent as usize].rank,
            row,
            from_ns: at_ns,
            parent,
            parent_row: row,
            at_ns,
            is_marked: true,
            children: alike.len() as u32,
            child,
            ..Segment::default()
        };
        let at = put_in_turn(&mut self.segments, &mut self.free, joint);
        for &(.., of) in alike {
            let segment = &mut self.segments[of as usize];
            (segment.parent, segment.is_summed) = (at, true);
        }
        let parent = &mut self.segments[parent as usize];
        parent.children -= alike.len() as u32 - 1;
        parent.child = at;
        at
    }

    /// Cuts the segment that goes on in row `old` of a rank: it begins there, and a new parent ends there. Gives both.
    fn cut(&mut self, rank: usize, of: &OfRank, old: u64) -> Option<(u32, u32)> {
        let &(_, at) = self.of_rank[rank].first()?;
        let segment = &self.segments[at as usize];
        let row = of.get(old).filter(|_| segment.row < old)?;
        let until_ns = of
            .rows
            .between(0, old)
            .rev()
            .find(|r| !r.is_aside)
            .map_or(segment.from_ns, |r| r.end_ns.min(row.start_ns))
            .max(segment.from_ns);
        let mut own = Profile::default();
        Paths::sum(segment, of, old, until_ns, &mut own);
        let after = Segment {
            rank: rank as u32,
            row: old,
            from_ns: until_ns,
            parent_row: old,
            at_ns: until_ns,
            is_summed: true,
            before: own,
            is_marked: true,
            children: segment.children,
            child: segment.child,
            ..Segment::default()
        };
        let before = std::mem::replace(&mut self.segments[at as usize], after);
        let parent = before.parent;
        let past = put_in_turn(&mut self.segments, &mut self.free, before);
        self.segments[at as usize].parent = past;
        if let Some(of) = self.segments.get_mut(parent as usize).filter(|of| of.child == at) {
            of.child = past;
        }
        (self.segments[past as usize].children, self.segments[past as usize].child) = (1, at);
        Some((at, past))
    }

    /// What came from a segment before it was cut, which is summed up, comes from what lies before the cut.
    fn move_past(&mut self, cuts: &FxHashMap<u32, u32>) {
        for at in 0..self.segments.len() {
            let segment = &mut self.segments[at];
            if segment.is_marked
                && segment.is_summed
                && let Some(&past) = cuts.get(&segment.parent)
            {
                let cut = std::mem::replace(&mut segment.parent, past);
                self.segments[cut as usize].children -= 1;
                self.segments[past as usize].children += 1;
                self.segments[past as usize].child = at as u32;
            }
        }
    }

    fn sum_before(&mut self, at: usize, ranks: &[OfRank]) {
        let Segment { parent, parent_row, at_ns, .. } = self.segments[at];
        let parent = &self.segments[parent as usize];
        let mut before = Profile::default();
        Paths::sum(parent, &ranks[parent.rank as usize], parent_row, at_ns, &mut before);
        let segment = &mut self.segments[at];
        (segment.before, segment.is_summed) = (before, true);
    }

    /// Marks what is still in use, and gives back the rest.
    fn mark(&mut self) {
        for segment in &mut self.segments {
            (segment.is_marked, segment.children, segment.child) = (false, 0, NONE);
        }
        for list in &self.of_rank {
            for &(_, tip) in list {
                // A tip counts as one child more: it may get others.
                self.segments[tip as usize].children += 2;
                let mut at = tip;
                while !std::mem::replace(&mut self.segments[at as usize].is_marked, true) {
                    let parent = self.segments[at as usize].parent;
                    let Some(of) = self.segments.get_mut(parent as usize) else { break };
                    of.children += 1;
                    of.child = at;
                    at = parent;
                }
            }
        }
        let mut is_free = vec![false; self.segments.len()];
        self.free.iter().for_each(|&at| is_free[at as usize] = true);
        for (at, segment) in self.segments.iter_mut().enumerate() {
            if !segment.is_marked && !is_free[at] {
                *segment = Segment { parent: NONE, ..Segment::default() };
                self.free.push_back(at as u32);
            }
        }
    }

    /// Joins segments with their only child.
    fn compress(&mut self) {
        for at in 0..self.segments.len() {
            let Segment { children, child, is_summed, is_marked, parent, jumps, .. } = self.segments[at];
            let joins = is_marked && is_summed && children == 1;
            if !joins || !self.segments[child as usize].is_summed {
                continue;
            }
            let mut large = std::mem::take(&mut self.segments[at].before);
            let mut small = std::mem::take(&mut self.segments[child as usize].before);
            if large.len() < small.len() {
                std::mem::swap(&mut large, &mut small);
            }
            for (piece, ns) in small {
                *large.entry(piece).or_default() += ns;
            }
            let heir = &mut self.segments[child as usize];
            (heir.before, heir.parent) = (large, parent);
            heir.jumps += jumps;
            if let Some(of) = self.segments.get_mut(parent as usize) {
                of.child = child;
            }
            self.segments[at] = Segment { parent: NONE, ..Segment::default() };
            self.free.push_back(at as u32);
        }
    }

    /// The path to the end of `rank` at `end_ns`, and how often it goes to another rank.
    pub fn trace_back(&mut self, ranks: &[OfRank], rank: RankId, end_ns: u64) -> (Profile, u64) {
        let (mut profile, mut jumps) = (Profile::default(), 0);
        let Some((of, list)) = ranks.get(rank.0 as usize).zip(self.of_rank.get(rank.0 as usize)) else {
            return (profile, jumps);
        };
        let Some(&(_, tip)) = list.last() else { return (profile, jumps) };
        Paths::sum(&self.segments[tip as usize], of, u64::MAX, end_ns, &mut profile);
        let mut at = tip;
        while (at as usize) < self.segments.len() {
            if !self.segments[at as usize].is_summed {
                self.sum_before(at as usize, ranks);
            }
            let segment = &self.segments[at as usize];
            for (piece, ns) in &segment.before {
                *profile.entry(*piece).or_default() += ns;
            }
            jumps += segment.jumps;
            at = segment.parent;
        }
        (profile, jumps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::efficiency::rows::{NONE as NO_LINK, Row, UNKNOWN};
    use crate::explanation::{Cause, WaitKind};

    const ROUND_NS: u64 = 1000;
    /// Rows are forgotten so many rounds later.
    const LATER: u64 = 3;

    /// Whom a rank waits for in a round, and when each comes, ns after its begin.
    type WaitSource<'a> = &'a dyn Fn(u64, u32) -> (Option<u32>, u64);

    /// Each rank makes one call in a round, each time another, and may wait in it for another rank to come. Every so many
    /// rounds old rows are forgotten.
    fn played(ranks: u32, rounds: u64, every: u64, scene: WaitSource<'_>) -> (Paths, Vec<OfRank>) {
        let mut of: Vec<OfRank> = (0..ranks).map(|_| OfRank::new(0, 0, ranks as usize)).collect();
        let mut paths = Paths::new(&of);
        for round in 0..rounds {
            let comes_ns = |rank| round * ROUND_NS + scene(round, rank).1;
            for rank in 0..ranks {
                let (cause, start_ns) = (scene(round, rank).0, comes_ns(rank));
                let end_ns = cause.map_or(start_ns, comes_ns) + 10;
                let at = &mut of[rank as usize];
                at.rows.push(Row {
                    start_ns,
                    end_ns,
                    ideal_ns: UNKNOWN,
                    useful_ns: 0,
                    link: NO_LINK,
                    facts: round as u32,
                    entry: 0,
                    is_aside: false,
                    is_open: false,
                });
                at.cursor += 1;
                at.last_end_ns = end_ns;
            }
            for rank in 0..ranks {
                let Some(cause) = scene(round, rank).0 else { continue };
                let at_ns = comes_ns(cause);
                let wait = Wait {
                    kind: WaitKind::LateSender,
                    rank: RankId(rank),
                    row: round,
                    facts: round as u32,
                    start_ns: comes_ns(rank),
                    end_ns: at_ns,
                    cause: Some(Cause { rank: RankId(cause), at_ns, row: round, facts: round as u32 }),
                };
                paths.waited(&wait, &of);
            }
            if round % every == every - 1 && round > LATER {
                let old = vec![round - LATER; ranks as usize];
                paths.retire(&of, &old);
                of.iter_mut().zip(old).for_each(|(of, old)| of.retire(old));
            }
        }
        (paths, of)
    }

    fn pieces(paths: &Paths) -> usize {
        paths.segments.iter().map(|s| s.before.capacity()).sum()
    }

    /// All wait for one rank in every round: what that has done is kept once, not once for each who waits.
    #[test]
    fn who_never_waits_is_summed_up_once() {
        let (ranks, rounds) = (200, 400);
        let star = |_, rank| if rank == 7 { (None, 500) } else { (Some(7), 100 + u64::from(rank)) };
        let (mut paths, of) = played(ranks, rounds, 5, &star);
        // A call and the computing before it, of each round; of the other ranks what is near.
        let most = 4 * rounds as usize + 40 * ranks as usize;
        assert!(pieces(&paths) < most, "{} pieces", pieces(&paths));
        assert!(paths.segments.len() < 20 * ranks as usize, "{} segments", paths.segments.len());
        let (profile, jumps) = paths.trace_back(&of, RankId(0), rounds * ROUND_NS);
        assert_eq!((profile.values().sum::<u64>(), jumps), (rounds * ROUND_NS, 1));
        assert!(profile.keys().filter(|piece| piece.rank != 7).count() <= 2);
    }

    /// Whatever is forgotten meanwhile, the path is the same.
    #[test]
    fn nothing_is_lost_when_rows_are_forgotten() {
        for seed in 0..200_u64 {
            let dice = |round: u64, rank: u32, what: u64| {
                let mut n = seed ^ round.wrapping_mul(0x9E37_79B9) ^ (u64::from(rank) << 40) ^ (what << 20);
                for _ in 0..3 {
                    n = (n ^ (n >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                }
                n >> 33
            };
            let ranks = 2 + (seed % 9) as u32;
            let comes = |round, rank| dice(round, rank, 1) % 900;
            let scene = |round: u64, rank: u32| {
                // Some rank that comes later, or nobody. The first never waits in half of the runs.
                let cause = dice(round, rank, 2) as u32 % ranks;
                let waits = comes(round, cause) > comes(round, rank) && (seed % 2 == 0 || rank > 0);
                ((waits && dice(round, rank, 3) % 3 > 0).then_some(cause), comes(round, rank))
            };
            let rounds = 40;
            let end_ns = rounds * ROUND_NS;
            let (mut whole, all) = played(ranks, rounds, u64::MAX, &scene);
            for every in [1, 2, 7] {
                let (mut paths, of) = played(ranks, rounds, every, &scene);
                for rank in 0..ranks {
                    let wanted = whole.trace_back(&all, RankId(rank), end_ns);
                    assert_eq!(
                        paths.trace_back(&of, RankId(rank), end_ns),
                        wanted,
                        "seed {seed}, rank {rank}, {every}"
                    );
                }
            }
        }
    }
}
