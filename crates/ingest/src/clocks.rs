//! One clock for each host.
//!
//! All processes of a host read the same counter. Each of them has noted what `CLOCK_MONOTONIC` said at a few moments,
//! some tens to hundreds of nanoseconds off, since two clocks cannot be read at once. A line of its own for each
//! process would set them apart by that much; one line for the host keeps them in step.

use std::collections::BTreeMap;

use mpiscope_run::Rank;
use mpiscope_trace::reader::TickClock;

/// The clock of each rank: equal for ranks whose ticks come from the same counter.
pub(crate) fn clocks(ranks: &[Rank]) -> Vec<TickClock> {
    let counter = |rank: &Rank| (rank.host().to_owned(), rank.header.clock, rank.header.tick_shift);
    let mut points: BTreeMap<_, Vec<(u64, u64)>> = BTreeMap::new();
    for rank in ranks {
        let known = rank.header.anchors.iter().filter(|a| a.ticks != 0 && a.monotonic_ns != 0);
        points.entry(counter(rank)).or_default().extend(known.map(|a| (a.ticks, a.monotonic_ns)));
    }
    let fit = |(key, points): ((String, u32, u32), Vec<(u64, u64)>)| {
        let line = TickClock::fit(key.1, &points);
        (key, line)
    };
    let lines: BTreeMap<_, TickClock> = points.into_iter().map(fit).collect();
    ranks
        .iter()
        .map(|rank| match lines.get(&counter(rank)) {
            Some(line) if agrees(line, rank) => *line,
            _ => rank.clock,
        })
        .collect()
}

/// Whether a line passes a rank's own anchors within a millisecond: a damaged file must not bend everybody's time.
fn agrees(line: &TickClock, rank: &Rank) -> bool {
    let anchors = rank.header.anchors.iter().filter(|a| a.ticks != 0 && a.monotonic_ns != 0);
    anchors.into_iter().all(|a| line.ns(a.ticks).abs_diff(a.monotonic_ns) < 1_000_000)
}
