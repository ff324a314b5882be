//! Converts the ticks of each rank to one time axis.
//!
//! All processes of a host read the same counter. Each has recorded `CLOCK_MONOTONIC` at a few moments, with an error of some
//! tens to hundreds of nanoseconds, since two clocks cannot be read at the same time. A separate line for each process would
//! shift them by that much; one line for the host keeps them consistent.
//!
//! The axis is the clock of the reference, one of the hosts. The conversion of another host's clock ([`ClockMap`]) is linear
//! between two rounds, so ticks of that host are converted by one line for each interval of rounds: a multiplication, as on
//! one host. The lines are continuous and never decrease: no call ends before it begins.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use mpiscope_run::{ClockMap, Clocks, Rank, Run};
use mpiscope_trace::reader::TickClock;

/// How far the lines reach beyond what is known of a host at least, and how near to their ends a round does not count.
const BEYOND_NS: u64 = 1_000_000_000;
const CLOSE_NS: u64 = 50_000_000;

/// A line that holds for ticks below `until`, from where the one before it ends.
#[derive(Clone, Copy, Debug)]
struct Piece {
    until: u64,
    line: TickClock,
}

/// What makes ticks of a rank to ns of the axis.
#[derive(Clone, Debug)]
pub(crate) struct RankClock {
    /// At least one; the last holds for ever.
    pieces: Arc<[Piece]>,
    map: ClockMap,
    /// What keeps moments before the reference was started above 0.
    bias_ns: i64,
}

impl RankClock {
    /// A moment, from ticks.
    pub fn ns(&self, ticks: u64) -> u64 {
        self.cursor().ns(ticks)
    }

    /// A moment, from `CLOCK_MONOTONIC` of the rank's host.
    pub fn of_monotonic(&self, ns: u64) -> u64 {
        axis(self.map.to_reference(ns).ns, self.bias_ns)
    }

    /// For many moments that follow each other, more or less.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { pieces: &self.pieces, from: Cell::new(0), at: Cell::new(self.pieces[0]) }
    }
}

fn axis(reference_ns: i64, bias_ns: i64) -> u64 {
    u64::try_from(i128::from(reference_ns) + i128::from(bias_ns)).unwrap_or(0)
}

/// Remembers which line was the last.
pub(crate) struct Cursor<'a> {
    pieces: &'a [Piece],
    from: Cell<u64>,
    at: Cell<Piece>,
}

impl Cursor<'_> {
    /// A moment, from ticks.
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        let Piece { until, line } = self.at.get();
        if self.from.get() <= ticks && ticks < until { line.ns(ticks) } else { self.turn(ticks) }
    }

    #[cold]
    fn turn(&self, ticks: u64) -> u64 {
        let last = self.pieces.len() - 1;
        let at = self.pieces[..last].partition_point(|piece| piece.until <= ticks);
        self.at.set(self.pieces[at]);
        self.from.set(if at == 0 { 0 } else { self.pieces[at - 1].until });
        self.pieces[at].line.ns(ticks)
    }
}

/// The clock of each rank: equal for ranks whose ticks come from the same counter. The first moment of the run.
pub(crate) fn clocks(run: &Run, clocks: &Clocks) -> (Vec<RankClock>, u64) {
    let ranks = &run.ranks;
    let map = |rank: &Rank| clocks.map(rank.host()).cloned().unwrap_or_else(ClockMap::identity);
    let earliest_ns = ranks.iter().map(|rank| map(rank).to_reference(first_moment(rank)).ns).min().unwrap_or(0);
    // Lines begin a second before.
    let reach_ns = BEYOND_NS as i64 * 2;
    let bias_ns = if clocks.rows.is_empty() { 0 } else { reach_ns.saturating_sub(earliest_ns).max(0) };
    let counter = |rank: &Rank| (rank.host().to_owned(), rank.header.clock, rank.header.tick_shift);
    let mut groups: BTreeMap<_, (Vec<(u64, u64)>, Span)> = BTreeMap::new();
    for rank in ranks {
        let group = groups.entry(counter(rank)).or_default();
        let known = rank.header.anchors.iter().filter(|a| a.ticks != 0 && a.monotonic_ns != 0);
        group.0.extend(known.map(|a| (a.ticks, a.monotonic_ns)));
        group.1.add(rank);
    }
    let fitted: BTreeMap<_, (TickClock, Arc<[Piece]>)> = groups
        .into_iter()
        .map(|(key, (points, span))| {
            let line = TickClock::fit(key.1, &points);
            let map = clocks.map(&key.0).cloned().unwrap_or_else(ClockMap::identity);
            let pieces = pieces(&line, &map, bias_ns, &span);
            (key, (line, pieces))
        })
        .collect();
    let of_rank = |rank: &Rank| {
        let map = map(rank);
        let pieces = match fitted.get(&counter(rank)) {
            Some((line, pieces)) if agrees(line, rank) => pieces.clone(),
            _ => {
                let mut span = Span::default();
                span.add(rank);
                pieces(&rank.clock, &map, bias_ns, &span)
            }
        };
        RankClock { pieces, map, bias_ns }
    };
    (ranks.iter().map(of_rank).collect(), axis(earliest_ns, bias_ns))
}

/// First and last moment of a host.
#[derive(Default)]
struct Span(Option<(u64, u64)>);

impl Span {
    fn add(&mut self, rank: &Rank) {
        let (first, last) = self.0.unwrap_or((u64::MAX, 0));
        self.0 = Some((first.min(first_moment(rank)), last.max(rank.end_ns())));
    }
}

/// The lines of a host whose ticks become its own ns by `line`.
fn pieces(line: &TickClock, map: &ClockMap, bias_ns: i64, span: &Span) -> Arc<[Piece]> {
    let (first_ns, last_ns) = span.0.unwrap_or_default();
    if map.is_identity() && bias_ns == 0 {
        return Arc::new([Piece { until: u64::MAX, line: *line }]);
    }
    let (begin_ns, end_ns) = (first_ns.saturating_sub(BEYOND_NS), last_ns.saturating_add(BEYOND_NS));
    let is_inside = |&at: &u64| at > begin_ns.saturating_add(CLOSE_NS) && at < end_ns.saturating_sub(CLOSE_NS);
    let turns = map.turns().filter(is_inside);
    let mut points: Vec<(u64, u64)> = Vec::new();
    for at_ns in [begin_ns].into_iter().chain(turns).chain([end_ns]) {
        let ticks = line.ticks(at_ns);
        // Of the tick, which is not quite the moment.
        let ns = axis(map.to_reference(line.ns(ticks)).ns, bias_ns);
        // Two rounds that are worse than they are far apart could make time stand still.
        while points.len() > 1 && points.last().is_some_and(|last| last.1 >= ns) {
            points.pop();
        }
        if points.last().is_none_or(|last| last.0 < ticks && last.1 < ns) {
            points.push((ticks, ns));
        }
    }
    let piece = |pair: &[(u64, u64)]| Piece { until: pair[1].0, line: TickClock::through(pair[0], pair[1]) };
    let mut found: Vec<Piece> = points.windows(2).map(piece).collect();
    match found.last_mut() {
        Some(last) => last.until = u64::MAX,
        // Nothing is known of this host but one moment.
        None => {
            let line = line.moved(line.ticks(first_ns), axis(map.to_reference(first_ns).ns, bias_ns));
            found.push(Piece { until: u64::MAX, line });
        }
    }
    found.into()
}

/// First moment that a rank's file knows of, ns of `CLOCK_MONOTONIC`.
pub(crate) fn first_moment(rank: &Rank) -> u64 {
    let anchors = rank.header.anchors.iter().filter(|a| a.monotonic_ns != 0).map(|a| a.monotonic_ns);
    anchors.min().unwrap_or(0)
}

/// Whether a line passes a rank's own anchors within a millisecond: a damaged file must not bend everybody's time.
fn agrees(line: &TickClock, rank: &Rank) -> bool {
    let anchors = rank.header.anchors.iter().filter(|a| a.ticks != 0 && a.monotonic_ns != 0);
    anchors.into_iter().all(|a| line.ns(a.ticks).abs_diff(a.monotonic_ns) < 1_000_000)
}
