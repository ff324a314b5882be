//! Efficiencies of iterations and of their phases.

use super::CallTimes;
use super::rows::OfRank;
use crate::explanation::efficiency::{IterationEfficiency, PhaseEfficiency, Series, Spread, WindowEfficiency};
use crate::explanation::pop::{Efficiencies, Times, efficiencies};
use crate::explanation::structure::{InPhases, Phase, Windows};
use crate::explanation::timeline::Point;

/// The worst windows that are named.
const WORST: usize = 8;

/// Efficiencies in windows of iterations, for ranks whose rows are all processed.
pub(super) fn of_iterations(windows: &Windows, ranks: &[OfRank]) -> Option<IterationEfficiency> {
    let with_loop = windows.ranks.iter().filter_map(|(rank, begins_ns)| Some((ranks.get(*rank)?, begins_ns)));
    let points: Vec<Vec<Point>> = with_loop.map(|(of, begins)| begins.iter().map(|&ns| of.at(ns)).collect()).collect();
    let rows: Vec<WindowEfficiency> = windows
        .firsts
        .windows(2)
        .enumerate()
        .map(|(at, firsts)| {
            let mut times = Times::default();
            let mut row = WindowEfficiency { first: firsts[0], last: firsts[1] - 1, ..WindowEfficiency::default() };
            row.start_ns = u64::MAX;
            for (start, end) in points.iter().filter_map(|p| Some((p.get(at)?, p.get(at + 1)?))) {
                let elapsed_ns = end.at_ns.saturating_sub(start.at_ns);
                let useful_ns = end.useful_ns.saturating_sub(start.useful_ns);
                times.useful_ns.push(useful_ns);
                times.elapsed_ns = times.elapsed_ns.max(elapsed_ns);
                times.ideal_ns = times.ideal_ns.max(end.ideal_ns.saturating_sub(start.ideal_ns));
                row.start_ns = row.start_ns.min(start.at_ns);
                row.end_ns = row.end_ns.max(end.at_ns);
                row.rank_time_ns += elapsed_ns;
                row.computing_ns += useful_ns;
            }
            row.efficiency = efficiencies(&times);
            row
        })
        .collect();
    if points.is_empty() || rows.is_empty() {
        return None;
    }
    let list = |of: fn(&Efficiencies) -> Option<f64>| rows.iter().map(|r| of(&r.efficiency)).collect::<Vec<_>>();
    let number = |of: fn(&WindowEfficiency) -> u64| rows.iter().map(of).collect::<Vec<_>>();
    let series = Series {
        first: number(|r| r.first),
        start_ns: number(|r| r.start_ns),
        end_ns: number(|r| r.end_ns),
        rank_time_ns: number(|r| r.rank_time_ns),
        computing_ns: number(|r| r.computing_ns),
        parallel: list(|e| e.parallel),
        load_balance: list(|e| e.load_balance),
        communication: list(|e| e.communication),
        serialisation: list(|e| e.serialisation),
        transfer: list(|e| e.transfer),
    };
    // The last iteration ends with its last call, and what is computed after it is not in it.
    let full = if rows.len() > 2 { rows.len() - 1 } else { rows.len() };
    let spread = Spread {
        parallel: spread(&series.parallel[..full]),
        load_balance: spread(&series.load_balance[..full]),
        communication: spread(&series.communication[..full]),
        serialisation: spread(&series.serialisation[..full]),
        transfer: spread(&series.transfer[..full]),
    };
    let comparable = rows.into_iter().take(full);
    let mut worst: Vec<WindowEfficiency> = comparable.filter(|r| r.efficiency.parallel.is_some()).collect();
    let parallel = |r: &WindowEfficiency| r.efficiency.parallel.unwrap_or(1.0);
    worst.sort_by(|a, b| parallel(a).total_cmp(&parallel(b)).then(a.first.cmp(&b.first)));
    worst.truncate(WORST);
    Some(IterationEfficiency { iterations_per_window: windows.width, spread, worst, windows: series })
}

fn spread(list: &[Option<f64>]) -> Option<[f64; 3]> {
    let mut known: Vec<f64> = list.iter().copied().flatten().collect();
    known.sort_by(f64::total_cmp);
    Some([*known.first()?, known[known.len() / 2], *known.last()?])
}

/// Efficiencies in phases: times of all passes are summed rank by rank, as in regions.
pub(super) fn of_phases(phases: &[Phase], inside: &InPhases, calls: &[Vec<CallTimes>]) -> Vec<PhaseEfficiency> {
    // Useful, elapsed, ideal of each phase and rank.
    let mut sums = vec![vec![[0.0f64; 3]; calls.len()]; phases.len()];
    for (rank, (of_facts, times)) in inside.ranks.iter().zip(calls).enumerate() {
        for (of, times) in of_facts.iter().zip(times).filter_map(|(of, times)| Some(((*of)?, times))) {
            let mut add = |phase: usize, useful_ns: f64, elapsed_ns: f64, ideal_ns: f64| {
                if let Some(sum) = sums.get_mut(phase).and_then(|p| p.get_mut(rank)) {
                    *sum = [sum[0] + useful_ns, sum[1] + elapsed_ns, sum[2] + ideal_ns];
                }
            };
            add(of.inside, 0.0, times.inside_ns as f64, times.ideal_ns as f64);
            for (phase, share) in [(of.inside, of.inside_share), (of.before, of.before_share)] {
                let ns = times.before_ns as f64 * share;
                add(phase, ns, ns, ns);
            }
        }
    }
    let row = |(phase, ranks): (&Phase, Vec<[f64; 3]>)| {
        let ranks: Vec<[u64; 3]> = ranks.into_iter().map(|r| r.map(|ns| ns as u64)).filter(|r| r[1] > 0).collect();
        let times = Times {
            useful_ns: ranks.iter().map(|r| r[0]).collect(),
            elapsed_ns: ranks.iter().map(|r| r[1]).max().unwrap_or(0),
            ideal_ns: ranks.iter().map(|r| r[2]).max().unwrap_or(0),
        };
        PhaseEfficiency {
            phase: phase.name.clone(),
            rank_time_ns: ranks.iter().map(|r| r[1]).sum(),
            computing_ns: ranks.iter().map(|r| r[0]).sum(),
            efficiency: efficiencies(&times),
        }
    };
    phases.iter().zip(sums).map(row).collect()
}
