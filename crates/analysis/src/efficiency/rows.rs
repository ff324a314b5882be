//! Rows of the last stretches, with what they depend on.

use mpiscope_store::{RankId, Span};

use super::ring::Ring;
use crate::explanation::WaitKind;
use crate::explanation::timeline::{Point, Timeline};

/// No link.
pub(super) const NONE: u32 = u32::MAX;
/// Not entered yet.
pub(super) const UNKNOWN: u64 = u64::MAX;

/// A call.
#[derive(Clone, Copy, Default)]
pub(super) struct Row {
    pub start_ns: u64,
    pub end_ns: u64,
    /// Ideal time at its entry.
    pub ideal_ns: u64,
    /// Computing time before its entry.
    pub useful_ns: u64,
    /// First of its links.
    pub link: u32,
    pub facts: u32,
    /// Number of its entry on the tape.
    pub entry: u32,
    /// Another thread's, or a poll now and then: takes no time of the rank.
    pub is_aside: bool,
    /// Had not returned: no network would have let it.
    pub is_open: bool,
}

/// What a row has to do with others.
#[derive(Clone, Copy)]
pub(super) enum Link {
    /// Cannot end before that row has begun; the wait would be of this kind.
    After(RankId, u64, WaitKind),
    /// Could not end before that row had begun, as far as can be told; the wait would be of this kind. What is no wait state
    /// of the recorded run: the ideal network knows nothing of it.
    Needs(RankId, u64, WaitKind),
    /// Comes to a collective operation.
    Arrive(u32),
    /// Cannot end before all have come to it; the wait would be of this kind.
    Meet(u32, WaitKind),
    /// Has waited.
    Waited(u32),
}

/// Rows of one rank, and how far it is.
pub(super) struct OfRank {
    pub rows: Ring,
    /// The row that is processed next.
    pub cursor: u64,
    /// Moment until which all is accounted for.
    pub last_end_ns: u64,
    pub useful_ns: u64,
    pub ideal_ns: u64,
    /// Start and gap of the row before, and the end before that: a call around it comes after it.
    before: (u64, u64, u64),
    pub timeline: Timeline,
    pub spans: Vec<Span>,
    /// Those of them that are accounted for.
    pub ended_spans: usize,
    /// Moment until which beginnings of iterations stand in the timeline.
    pub turns_until_ns: u64,
    /// Ranks that wait for one of these rows to begin.
    pub waiting: Vec<(u64, u32)>,
}

impl OfRank {
    /// A rank, of so many, that begins at `begin_ns`; ideal time begins at `origin_ns`.
    pub fn new(begin_ns: u64, origin_ns: u64, ranks: usize) -> OfRank {
        let ideal_ns = begin_ns.saturating_sub(origin_ns);
        let mut timeline = Timeline::of_one_of(ranks);
        timeline.push(Point { at_ns: begin_ns, useful_ns: 0, ideal_ns });
        OfRank {
            rows: Ring::default(),
            cursor: 0,
            last_end_ns: begin_ns,
            useful_ns: 0,
            ideal_ns,
            before: (0, 0, 0),
            timeline,
            spans: Vec::new(),
            ended_spans: 0,
            turns_until_ns: 0,
            waiting: Vec::new(),
        }
    }

    pub fn get(&self, row: u64) -> Option<&Row> {
        self.rows.get(row)
    }

    /// The gap before a row: what the rank computed. Gives its length.
    #[inline]
    pub fn enter(&mut self, row: &mut Row) -> u64 {
        let start_ns = row.start_ns;
        let mut gap_ns = 0;
        if !row.is_aside {
            let (before_start, before_gap, before_end) = self.before;
            if start_ns < before_start && before_end <= start_ns {
                // Around the call before: part of what seemed to be computing there was inside this one.
                self.useful_ns = self.useful_ns.saturating_sub(before_gap);
                self.ideal_ns = self.ideal_ns.saturating_sub(before_gap);
                self.last_end_ns = before_end;
            }
            gap_ns = start_ns.saturating_sub(self.last_end_ns);
            self.useful_ns += gap_ns;
            self.ideal_ns += gap_ns;
            self.before = (start_ns, gap_ns, self.last_end_ns);
            self.last_end_ns = self.last_end_ns.max(start_ns);
            self.timeline.push(Point { at_ns: start_ns, useful_ns: self.useful_ns, ideal_ns: self.ideal_ns });
        }
        (row.ideal_ns, row.useful_ns) = (self.ideal_ns, self.useful_ns);
        gap_ns
    }

    /// The return of a row, not before `after_ns` on the ideal network. Gives the time of the rank inside it,
    /// and that on the ideal network.
    #[inline]
    pub fn exit(&mut self, row: &Row, after_ns: u64, origin_ns: u64) -> (u64, u64) {
        let Row { end_ns, is_aside, is_open, .. } = *row;
        if is_aside {
            return (0, 0);
        }
        let after_ns = if is_open { u64::MAX } else { after_ns };
        let (entered_ns, entered_ideal_ns) = (self.last_end_ns, self.ideal_ns);
        // Never later than it was in fact.
        let fact_ns = end_ns.saturating_sub(origin_ns).max(self.ideal_ns);
        self.ideal_ns = self.ideal_ns.max(after_ns).min(fact_ns);
        self.last_end_ns = self.last_end_ns.max(end_ns);
        self.timeline.push(Point { at_ns: end_ns, useful_ns: self.useful_ns, ideal_ns: self.ideal_ns });
        (self.last_end_ns - entered_ns, self.ideal_ns - entered_ideal_ns)
    }

    /// How far the rank was at a moment that is not after the last processed row.
    pub fn at(&self, at_ns: u64) -> Point {
        let next = self.done_before(|r| r.end_ns <= at_ns);
        if next == self.rows.first() && next > 0 {
            return self.timeline.at(at_ns);
        }
        let Some(row) = self.rows.get(next).filter(|_| next < self.cursor) else {
            let more = at_ns.saturating_sub(self.last_end_ns);
            return Point { at_ns, useful_ns: self.useful_ns + more, ideal_ns: self.ideal_ns + more };
        };
        let before = row.start_ns.saturating_sub(at_ns);
        let useful_ns = row.useful_ns.saturating_sub(before);
        Point { at_ns, useful_ns, ideal_ns: row.ideal_ns.saturating_sub(before) }
    }

    /// The first of the processed rows that are kept of which `is_before` is false; they come in order of it.
    pub fn done_before(&self, is_before: impl Fn(&Row) -> bool) -> u64 {
        let (mut low, mut high) = (self.rows.first(), self.cursor);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.rows.get(middle).is_some_and(&is_before) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Beginning of the first row that is kept when those before `row` are forgotten: nothing is asked of it and later
    /// rows until then.
    pub fn kept_from_ns(&self, row: u64) -> u64 {
        self.get(row.min(self.cursor)).map_or(self.last_end_ns, |r| r.start_ns)
    }

    /// Forgets rows before `row`.
    pub fn retire(&mut self, row: u64) {
        self.rows.drop_before(row.min(self.cursor));
        let first_ns = self.rows.get(self.rows.first()).map_or(u64::MAX, |r| r.start_ns);
        let old = self.spans[..self.ended_spans].partition_point(|s| s.end_ns < first_ns);
        self.spans.drain(..old);
        self.ended_spans -= old;
    }
}
