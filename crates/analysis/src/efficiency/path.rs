//! The critical path: what the run would have been shorter by, had it been shorter.
//!
//! Seen from the end it goes backwards on a rank until that has waited for somebody, and goes on there
//! (Böhme, Wolf, de Supinski, Schulz & Geimer, "Scalable critical-path based performance analysis", IPDPS 2012).
//! Here it is found forwards: each wait begins a *segment*, whose parent is the segment of the one waited for, up to
//! the late call. Segments that no rank's present descends from are forgotten; chains of them are summed up.

use std::collections::VecDeque;

use mpiscope_store::RankId;
use rustc_hash::FxHashMap;

use super::rows::OfRank;
use crate::slab::put_in_turn;
use crate::wait::Wait;

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
    /// Own rows that are forgotten.
    own: Profile,
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
        if ranks.get(cause.rank.0 as usize).is_none_or(|of| cause.row < of.base) {
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
        for (piece, ns) in &segment.own {
            *into.entry(*piece).or_default() += ns;
        }
        let mut now_ns = segment.from_ns;
        let mut add = |facts: u32, is_computing: bool, ns: u64| {
            if ns > 0 {
                *into.entry(Piece { rank: segment.rank, facts, is_computing }).or_default() += ns;
            }
        };
        let begin = segment.row.saturating_sub(of.base) as usize;
        let end = (until_row.saturating_sub(of.base) as usize).min(of.rows.len());
        let mut last = u32::MAX;
        for row in of.rows.range(begin.min(end)..end).filter(|r| !r.is_aside) {
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
        for at in 0..self.segments.len() {
            let segment = &self.segments[at];
            if !segment.is_marked || segment.is_summed {
                continue;
            }
            let parent = &self.segments[segment.parent as usize];
            if parent.row < old[parent.rank as usize] {
                self.sum_before(at, ranks);
            }
        }
        for (list, (&old, of)) in self.of_rank.iter().zip(old.iter().zip(ranks)) {
            let Some(&(_, first)) = list.first() else { continue };
            let segment = &self.segments[first as usize];
            let Some(row) = of.get(old).filter(|_| segment.row < old) else { continue };
            let until_ns = of
                .rows
                .range(..(old - of.base) as usize)
                .rev()
                .find(|r| !r.is_aside)
                .map_or(segment.from_ns, |r| r.end_ns.min(row.start_ns))
                .max(segment.from_ns);
            let mut own = Profile::default();
            Paths::sum(segment, of, old, until_ns, &mut own);
            let segment = &mut self.segments[first as usize];
            (segment.own, segment.row, segment.from_ns) = (own, old, until_ns);
        }
        self.compress();
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
    pub fn finish(&mut self, ranks: &[OfRank], rank: RankId, end_ns: u64) -> (Profile, u64) {
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
