//! Efficiencies, the critical path, the cost of delays.
//!
//! All of it comes from one replay of the run, rank by rank in the order of dependencies ([`replay`]).

mod delays;
mod imbalance;
mod load;
mod path;
mod replay;
mod ring;
mod rows;
#[cfg(test)]
mod tests;
mod windows;

use mpiscope_store::{CallInfo, Dimensions, RankId, RegionId};
use rustc_hash::FxHashMap;

pub use delays::{Cost, Delays};

pub use crate::explanation::efficiency::{
    CriticalPath, DelayRow, Delayer, Efficiency, IterationEfficiency, PathRow, PhaseEfficiency, RegionEfficiency,
    Series, Spread, WindowEfficiency,
};
pub use crate::explanation::pop::{Efficiencies, Times, efficiencies};
pub use crate::explanation::timeline::{Point, Timeline, Timelines};

use crate::analysis::{Analysis, Input};
use crate::causes::{self, Behind};
use crate::explanation::efficiency::Reproduction;
use crate::explanation::{Explanation, Remedy, Rule, Scope, Wait, WaitKind};
use crate::structure::Structure;
use crate::waits::places::Places;
use load::Load;
use path::Paths;
use replay::{Replay, Watch};
use rows::{OfRank, Row};

/// Rules of this part.
pub const RULES: &[Rule] = &[imbalance::IMBALANCE];

/// At most this many rows of the critical path, and delayers, are reported.
const ROWS: usize = 64;

/// What is counted while the run is replayed.
#[derive(Default)]
struct Counts {
    places: Places,
    /// Region of each rank's facts.
    regions: Vec<Vec<u32>>,
    paths: Paths,
    delays: Delays,
    /// Which ranks cause which kind of wait.
    behind: Behind,
    load: Load,
    /// Times of calls, by rank and facts.
    calls: Vec<Vec<CallTimes>>,
}

/// Times of calls with the same facts, summed.
#[derive(Clone, Copy, Default)]
struct CallTimes {
    /// Computing before them.
    before_ns: u64,
    /// How often there was any.
    computations: u64,
    /// In them.
    inside_ns: u64,
    /// The same on an ideal network.
    ideal_ns: u64,
}

impl Watch for Counts {
    fn enter(&mut self, rank: usize, row: &Row, gap_ns: u64) {
        if gap_ns == 0 {
            return;
        }
        self.load.add(rank, row.start_ns - gap_ns.min(row.start_ns), row.start_ns);
        if let Some(times) = self.calls.get_mut(rank).and_then(|c| c.get_mut(row.facts as usize)) {
            times.before_ns += gap_ns;
            times.computations += 1;
        }
    }

    fn exit(&mut self, rank: usize, facts: u32, inside_ns: u64, ideal_ns: u64) {
        if let Some(times) = self.calls.get_mut(rank).and_then(|c| c.get_mut(facts as usize)) {
            times.inside_ns += inside_ns;
            times.ideal_ns += ideal_ns;
        }
    }

    fn waited(&mut self, wait: &Wait, ranks: &[OfRank]) {
        self.paths.waited(wait, ranks);
        let Some(cause) = wait.cause else { return };
        let rank = cause.rank.0 as usize;
        let delayer = Delayer {
            rank: cause.rank,
            place: self.places.id_of(rank, cause.facts).unwrap_or(u32::MAX),
            region: ranks.get(rank).map_or(u32::MAX, |of| {
                let known = self.regions.get(rank).and_then(|r| r.get(cause.facts as usize));
                region_before(of, cause.row, wait.start_ns, cause.at_ns, known.copied().unwrap_or(u32::MAX))
            }),
        };
        for &(who, ns) in self.delays.add(wait.rank, wait.start_ns, wait.end_ns, delayer) {
            self.behind.add(wait.kind, who, ns);
        }
    }
}

/// The region in which a rank was halfway through the computation that made it late; `around` where no region ended since.
fn region_before(of: &OfRank, row: u64, since_ns: u64, at_ns: u64, around: u32) -> u32 {
    let before_ns = row.checked_sub(1).and_then(|row| of.get(row)).map_or(since_ns, |r| r.end_ns);
    let from_ns = before_ns.max(since_ns).min(at_ns);
    let middle_ns = from_ns + (at_ns - from_ns) / 2;
    let first = of.spans.partition_point(|s| s.end_ns <= middle_ns);
    let inside = of.spans.iter().skip(first).take(16).find(|s| s.thread == 0 && s.start_ns <= middle_ns);
    inside.map_or(around, |s| s.region.0)
}

/// Computing and ideal time in a region, by rank: useful, ideal, elapsed.
type RegionTimes = FxHashMap<RegionId, Vec<[u64; 3]>>;

/// See the module.
#[derive(Default)]
pub(crate) struct EfficiencyAnalysis {
    replay: Option<Replay>,
    counts: Counts,
    regions: RegionTimes,
    scope: Scope,
}

impl EfficiencyAnalysis {
    pub fn new(scope: &Scope) -> EfficiencyAnalysis {
        EfficiencyAnalysis { scope: scope.clone(), ..EfficiencyAnalysis::default() }
    }

    /// Regions that ended in the rows processed so far.
    fn end_regions(&mut self) {
        let Some(replay) = &mut self.replay else { return };
        let ranks = replay.ranks.len();
        for (rank, of) in replay.ranks.iter_mut().enumerate() {
            let until_ns = of.get(of.cursor).map_or(u64::MAX, |r| r.start_ns);
            let ready = of.ended_spans + of.spans[of.ended_spans..].partition_point(|s| s.end_ns <= until_ns);
            for span in of.spans[of.ended_spans..ready].iter().filter(|s| s.thread == 0) {
                let (start, end) = (of.at(span.start_ns), of.at(span.end_ns));
                let times = self.regions.entry(span.region).or_insert_with(|| vec![[0; 3]; ranks]);
                times[rank][0] += end.useful_ns.saturating_sub(start.useful_ns);
                times[rank][1] += end.ideal_ns.saturating_sub(start.ideal_ns);
                times[rank][2] += span.end_ns.saturating_sub(span.start_ns);
            }
            of.ended_spans = ready;
        }
    }
}

impl EfficiencyAnalysis {
    /// Discards rows that nothing depends on any more, except how far ranks had got at the start of iterations.
    pub fn forget(&mut self, is_last: bool, structure: &Structure) {
        let Some(replay) = self.replay.as_mut().filter(|_| !is_last) else { return };
        let Some(old) = replay.old_rows() else { return };
        self.counts.paths.retire(&replay.ranks, &old);
        let mut turns = Vec::new();
        for (rank, (of, old)) in replay.ranks.iter_mut().zip(old).enumerate() {
            let until_ns = of.kept_from_ns(old);
            structure.turns_between(rank, of.turns_until_ns, until_ns, &mut turns);
            of.turns_until_ns = until_ns.max(of.turns_until_ns);
            let mut is_full = false;
            for &ns in &turns {
                is_full = of.timeline.push_turn(of.at(ns));
            }
            if is_full {
                structure.turns_between(rank, 0, until_ns, &mut turns);
                of.timeline.keep_turns(&turns);
            }
            of.retire(old);
        }
    }
}

impl EfficiencyAnalysis {
    /// After the last batch: kinds of wrong order for which a different order would save nothing.
    pub fn refuted(&mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>]) -> Vec<WaitKind> {
        let Some(replay) = &mut self.replay else { return Vec::new() };
        for (rank, row) in dimensions.ranks.iter().enumerate() {
            replay.tape.end(rank as u32, row.rows_until_ns);
        }
        replay.tape.finish();
        let kinds = [WaitKind::WrongOrderSameSource, WaitKind::WrongOrderDifferentSource];
        let saved_ns = |kind| causes::saved_ns(&Remedy::reordered(kind), &replay.tape, facts, &self.scope);
        kinds.into_iter().filter(|&kind| saved_ns(kind) < self.scope.threshold_ns()).collect()
    }
}

impl Analysis for EfficiencyAnalysis {
    fn add_batch(&mut self, input: &Input<'_>) {
        if self.replay.is_none() {
            let replay = Replay::new(input.dimensions, self.scope.start_ns);
            self.counts = Counts {
                places: Places::new(input.facts),
                regions: input.facts.iter().map(|r| r.iter().map(|f| f.region.0).collect()).collect(),
                paths: Paths::new(&replay.ranks),
                delays: Delays::default(),
                behind: Behind::default(),
                load: Load::new(&self.scope),
                calls: input.facts.iter().map(|r| vec![CallTimes::default(); r.len()]).collect(),
            };
            self.replay = Some(replay);
        }
        let Some(replay) = &mut self.replay else { return };
        replay.replay_batch(input, &mut self.counts);
        self.end_regions();
    }

    fn conclude(mut self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<CallInfo>], explanation: &mut Explanation) {
        let Some(mut replay) = self.replay.take() else { return };
        let counts = &mut self.counts;
        let main = explanation.iterations.as_ref();
        let iterations = main.and_then(|main| windows::of_iterations(&main.windows, &replay.ranks));
        for (rank, (of, row)) in replay.ranks.iter_mut().zip(&dimensions.ranks).enumerate() {
            // After the last call.
            let (from_ns, until_ns) = (of.last_end_ns, row.rows_until_ns);
            if until_ns > from_ns {
                counts.load.add(rank, from_ns, until_ns);
                let end = of.at(until_ns);
                (of.useful_ns, of.ideal_ns, of.last_end_ns) = (end.useful_ns, end.ideal_ns, until_ns);
                of.timeline.push(end);
            }
        }
        let times = Times {
            useful_ns: replay.ranks.iter().map(|of| of.useful_ns).collect(),
            elapsed_ns: self.scope.end_ns.saturating_sub(self.scope.start_ns),
            ideal_ns: replay.ranks.iter().map(|of| of.ideal_ns).max().unwrap_or(0),
        };
        let whole = efficiencies(&times);
        explanation.efficiency = Some(Efficiency {
            whole,
            regions: regions(&self.regions, dimensions),
            iterations,
            phases: windows::of_phases(&explanation.phases, &explanation.in_phases, &counts.calls),
        });
        explanation.critical_path = critical_path(counts, &replay.ranks, dimensions, self.scope.end_ns);
        let delays = counts.delays.costs();
        let lines: Vec<&Timeline> = replay.ranks.iter().map(|of| &of.timeline).collect();
        let found = imbalance::findings(&imbalance::Facts {
            load: &counts.load,
            main: explanation.iterations.as_ref(),
            lines: &lines,
            calls: &counts.calls,
            delays: &delays,
            places: &counts.places,
            dimensions,
            scope: &self.scope,
        });
        explanation.findings.extend(found);
        if !dimensions.is_one_host() {
            replay.tape.mark_far(&dimensions.numbers_of_hosts());
        }
        let recorded = mpiscope_model::replay(&replay.tape, &mpiscope_model::AsRecorded);
        causes::find_unexplained(facts, dimensions, (&replay.tape, &recorded), explanation);
        let (tape, behind, scope) = (&replay.tape, &counts.behind, &self.scope);
        let run = causes::Run { tape, recorded: &recorded, behind, dimensions, facts, scope };
        causes::judge(&mut explanation.findings, &run);
        explanation.replay = Some(Reproduction::compare(tape, &recorded));
        explanation.tape = Some(std::mem::take(&mut replay.tape));
        explanation.delays = delays.iter().take(ROWS).map(|row| delay_row(row, &counts.places, dimensions)).collect();
        explanation.timelines =
            Timelines { ranks: replay.ranks.iter_mut().map(|of| std::mem::take(&mut of.timeline)).collect() };
        let caveats = &mut explanation.caveats;
        if replay.has_threads {
            caveats.push("Efficiencies and the critical path are those of the first thread of each rank.".into());
        }
    }
}

fn delay_row((delayer, cost): &(Delayer, Cost), places: &Places, dimensions: &Dimensions) -> DelayRow {
    let place = places.get(delayer.place);
    DelayRow {
        cause_rank: dimensions.rank(delayer.rank),
        function: place.function(),
        site: place.site(dimensions),
        region: Some(dimensions.region(RegionId(delayer.region))).filter(|r| !r.is_empty()),
        direct_ns: cost.direct_ns,
        total_ns: cost.total_ns,
    }
}

fn regions(found: &RegionTimes, dimensions: &Dimensions) -> Vec<RegionEfficiency> {
    let row = |(region, ranks): (&RegionId, &Vec<[u64; 3]>)| {
        let inside: Vec<&[u64; 3]> = ranks.iter().filter(|t| t[2] > 0).collect();
        let times = Times {
            useful_ns: inside.iter().map(|t| t[0]).collect(),
            elapsed_ns: inside.iter().map(|t| t[2]).max().unwrap_or(0),
            ideal_ns: inside.iter().map(|t| t[1]).max().unwrap_or(0),
        };
        RegionEfficiency {
            region: dimensions.region(*region),
            efficiency: efficiencies(&times),
            rank_time_ns: inside.iter().map(|t| t[2]).sum(),
        }
    };
    let mut rows: Vec<RegionEfficiency> = found.iter().map(row).collect();
    rows.sort_by(|a, b| b.rank_time_ns.cmp(&a.rank_time_ns).then_with(|| a.region.cmp(&b.region)));
    rows
}

fn critical_path(
    counts: &mut Counts,
    ranks: &[OfRank],
    dimensions: &Dimensions,
    scope_end_ns: u64,
) -> Option<CriticalPath> {
    // A call that was cut by the end of the run may return after it, by its clock: the path ends with the run.
    let until_ns = |at: usize| dimensions.ranks.get(at).map_or(0, |r| r.rows_until_ns);
    let ends = |at: usize, of: &OfRank| until_ns(at).max(of.last_end_ns).min(scope_end_ns);
    let (last, end_ns) = ranks.iter().enumerate().map(|(at, of)| (at, ends(at, of))).max_by_key(|&(at, e)| (e, !at))?;
    let (profile, jumps) = counts.paths.trace_back(ranks, RankId(last as u32), end_ns);
    let length_ns: u64 = profile.values().sum();
    let mut rows: FxHashMap<(u32, bool, u32), u64> = FxHashMap::default();
    let mut on_path: FxHashMap<u32, u64> = FxHashMap::default();
    for (piece, ns) in &profile {
        let place = counts.places.id_of(piece.rank as usize, piece.facts).unwrap_or(u32::MAX);
        *rows.entry((piece.rank, piece.is_computing, place)).or_default() += ns;
        if piece.is_computing {
            *on_path.entry(place).or_default() += ns;
        }
    }
    // What the mean rank computes at the same places.
    let mut everywhere: FxHashMap<u32, u64> = FxHashMap::default();
    for (rank, calls) in counts.calls.iter().enumerate() {
        for (facts, times) in calls.iter().enumerate().filter(|(_, times)| times.before_ns > 0) {
            let place = counts.places.id_of(rank, facts as u32).unwrap_or(u32::MAX);
            *everywhere.entry(place).or_default() += times.before_ns;
        }
    }
    let mean = |place: &u32| everywhere.get(place).copied().unwrap_or(0) / ranks.len().max(1) as u64;
    let known = on_path.iter().filter(|(place, _)| **place != u32::MAX);
    let imbalance_ns = known.map(|(place, ns)| ns.saturating_sub(mean(place))).sum();
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let row = |((rank, is_computing, place), ns): ((u32, bool, u32), u64)| {
        let place = counts.places.get(place);
        PathRow {
            rank: dimensions.rank(RankId(rank)),
            kind: if is_computing { "computing" } else { "mpi" },
            function: place.function(),
            site: place.site(dimensions),
            region: place.region(dimensions),
            ns,
            share: ns as f64 / length_ns.max(1) as f64,
        }
    };
    let rows = rows.into_iter().take(ROWS).map(row).collect();
    Some(CriticalPath { length_ns, jumps, imbalance_ns, rows })
}
