//! `noise`: how much time the system takes from each rank, and what reading a clock costs.
//!
//! Every rank does fixed work of 100 µs again and again: all ranks at once, then each of them while the others sleep. Quanta that
//! take longer were interrupted: by a timer, a daemon, another process, or the hypervisor. A sample is the mean of
//! [`WINDOW`] quanta.

mod clocks;
mod parameters;
mod quanta;
pub mod slow;

use std::time::Duration;

use mpiscope_machine::Scope;
use mpiscope_statistics::bootstrap;

use crate::error::BenchError;
use crate::experiment::{AxisOf, Experiment, Numbers, Rows, Table};
use crate::intervals::RESAMPLINGS;
use crate::journal::Line;
use crate::session::Session;
use quanta::Detours;
pub use quanta::Quantum;

pub const EXPERIMENT: Experiment = Experiment {
    id: "noise",
    what: "fixed work of 100 µs again and again, on all ranks at once and on each of them while the others sleep",
    measures: "time that the system takes from each rank: how much, how often, how long; speed of each rank; clocks",
    parameters: "share of time, detours per second, median and longest; slowdown of a rank against the others; cost and resolution of clocks, MPI_WTIME_IS_GLOBAL",
    source: "FWQ (Sottile and Minnich 2004; ASC Sequoia benchmarks), Hoefler et al. 2010",
    fewest_ranks: 1,
    run,
    parameters_of: parameters::parameters,
    weight: 1,
    is_standard: true,
    axis: |_| AxisOf { name: "operation", unit: "operations" },
    table: Table { numbers: Numbers::Times, rows: Rows::Series(&[]), shown: |_, _| false },
};

/// Most time without a smaller `--budget`.
const MOST_TIME: Duration = Duration::from_secs(8);
/// At least this long for each rank alone: several time slices and ticks.
const LEAST_ALONE: Duration = Duration::from_millis(100);
/// Quanta of a sample.
const WINDOW: usize = 100;
/// Batches of readings of a clock.
const BATCHES: usize = 25;

pub const ALONE: &str = "quanta";
pub const TOGETHER: &str = "quanta-all";

fn run(session: &mut Session) -> Result<(), BenchError> {
    let half = session.budget.min(MOST_TIME) / 2;
    // All begin at the same time.
    session.mpi.barrier()?;
    let work_together = Quantum::calibrate();
    let together = work_together.times(half);
    let length = (half / session.size.max(1) as u32).max(LEAST_ALONE);
    for rank in 0..session.size {
        if rank != session.rank {
            session.idle(rank)?;
            continue;
        }
        let work_alone = Quantum::calibrate();
        let alone = work_alone.times(length);
        record(session, TOGETHER, work_together, &together);
        record(session, ALONE, work_alone, &alone);
        if rank == 0 {
            clocks(session)?;
        }
        let (done, all) = (rank as u64 + 1, session.size as u64);
        let experiment = session.experiment.to_owned();
        session.record(Line::Progress { experiment, scope: Scope::All, done, all });
        session.release(rank)?;
    }
    Ok(())
}

fn record(session: &mut Session, series: &str, work: Quantum, times: &[f64]) {
    let scope = Scope::Rank(session.rank);
    for window in times.chunks_exact(WINDOW) {
        let mean = window.iter().sum::<f64>() / WINDOW as f64;
        sample(session, series, WINDOW as u64, mean);
    }
    let found = Detours::of(times);
    let windows: Vec<(f64, f64, usize)> = times
        .chunks(WINDOW)
        .map(|window| {
            let (taken, total) = found.of_window(window);
            (taken, total, window.len())
        })
        .collect();
    // Detours come in groups, so windows are drawn, not quanta.
    let intervals = bootstrap(RESAMPLINGS, 2, |random| {
        let drawn = (0..windows.len()).map(|_| windows[random.usize(..windows.len())]);
        let sum = |sum: (f64, f64, usize), of: (f64, f64, usize)| (sum.0 + of.0, sum.1 + of.1, sum.2 + of.2);
        let (taken, total, quanta) = drawn.fold((0.0, 0.0, 0), sum);
        vec![Some(taken / total), Some(work.step_ns(total / quanta as f64))]
    });
    let mut put = |what: &str, value: f64| session.fact(scope, &format!("{series}_{what}"), value);
    put("share", found.share());
    put("rate", found.rate());
    put("median", found.median_ns);
    put("longest", found.longest_ns);
    put("base", found.base_ns);
    put("step", work.step_ns(found.total_ns / times.len().max(1) as f64));
    for (what, interval) in ["share", "step"].into_iter().zip(intervals) {
        if let Some((low, high)) = interval {
            put(&format!("{what}_low"), low);
            put(&format!("{what}_high"), high);
        }
    }
}

/// Keeps a sample of this rank. There is nothing that varies: one place.
fn sample(session: &mut Session, series: &str, operations: u64, time_ns: f64) {
    session.record(Line::Sample {
        experiment: session.experiment.to_owned(),
        series: series.to_owned(),
        scope: Scope::Rank(session.rank),
        x: 1,
        moved: 0.0,
        at_ns: session.begun.elapsed().as_nanos() as u64,
        operations,
        time_ns,
        ranks_ns: None,
        is_only: false,
    });
}

/// Cost and resolution of the clocks of rank 0.
fn clocks(session: &mut Session) -> Result<(), BenchError> {
    let wtime = session.mpi.wtime()?;
    let mut costs = vec![
        ("clock", clocks::costs_ns(clocks::monotonic_ns, BATCHES)),
        ("wtime", clocks::costs_ns(|| wtime.now(), BATCHES)),
    ];
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has this instruction.
    costs.push(("tsc", clocks::costs_ns(|| unsafe { std::arch::x86_64::_rdtsc() }, BATCHES)));
    let scope = Scope::Rank(session.rank);
    for (name, times) in costs {
        for time in times {
            sample(session, &format!("{name}-read"), clocks::READS, time);
        }
    }
    let ns = |resolution: Option<f64>| resolution.unwrap_or(f64::NAN);
    let steps = [
        ("clock_resolution", ns(clocks::resolution(|| clocks::monotonic_ns() as f64))),
        ("wtime_resolution", ns(clocks::resolution(|| wtime.now())) * 1e9),
        ("wtick", session.mpi.wtick()? * 1e9),
    ];
    for (id, value) in steps.into_iter().filter(|(_, value)| value.is_finite()) {
        session.fact(scope, id, value);
    }
    if let Some(is_global) = session.mpi.wtime_is_global()? {
        session.fact(scope, "wtime_is_global", f64::from(u8::from(is_global)));
    }
    Ok(())
}
