//! Computing and processor time of each rank, combined.
//!
//! For an interval between two samples (length L), these are known: U, the time outside MPI, and M = L − U inside; R, the time on a
//! core; W, the time ready to run without one; S = L − R − W, asleep. How much of W and S is outside MPI is unknown.
//!
//! * Where intervals differ, [`rates`] estimates how S and W divide.
//! * Elsewhere, sleep counts as inside MPI as far as it fits: a rank that blocks in MPI sleeps there, and computing seldom sleeps.
//!   W is spread evenly over the time in which the rank was awake, which is right for an MPI that polls.
//! * In any case, W outside MPI is at least W − M, and at most U.

use mpiscope_store::{CpuSample, Dimensions, RankRow};

use super::rates::{Rates, rates};
use crate::explanation::Scope;
use crate::explanation::machine::{RankUse, Split, Windows};
use crate::explanation::timeline::Timelines;

/// Windows over the run.
const WINDOWS: usize = 64;
/// Samples with more threads than this are not believed.
const MOST_THREADS: u64 = 1 << 16;

#[derive(Clone, Copy, Default)]
struct Window {
    sampled_ns: f64,
    cpu_ns: f64,
    queue_ns: f64,
    computing_ns: f64,
    waiting_ns: f64,
}

/// A stretch between two samples of the first thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SampleSpan {
    pub length_ns: u64,
    pub computing_ns: u64,
    pub run_ns: u64,
    pub wait_ns: u64,
}

impl SampleSpan {
    pub fn in_mpi_ns(&self) -> u64 {
        self.length_ns - self.computing_ns.min(self.length_ns)
    }

    pub fn asleep_ns(&self) -> u64 {
        self.length_ns.saturating_sub(self.run_ns.saturating_add(self.wait_ns))
    }
}

/// How an interval divides.
pub(super) struct Parts {
    pub split: Split,
    pub running_in_mpi_ns: u64,
    pub asleep_in_mpi_ns: u64,
}

pub(super) fn parts(stretch: SampleSpan, rates: Option<&Rates>) -> Parts {
    let length = stretch.length_ns;
    // The kernel adds running time up at ticks: a stretch may have a little of the next one.
    let run = stretch.run_ns.min(length);
    let wait = stretch.wait_ns.min(length - run);
    let (asleep, in_mpi) = (stretch.asleep_ns(), stretch.in_mpi_ns());
    let computing = length - in_mpi;
    // What does not fit into MPI.
    let least_asleep = asleep.saturating_sub(in_mpi);
    let asleep_computing = match rates {
        Some(rates) => rates.asleep.of_computing(asleep, computing, in_mpi).clamp(least_asleep, asleep.min(computing)),
        None => least_asleep,
    };
    let asleep_in_mpi = asleep - asleep_computing;
    let (wants_computing, wants_in_mpi) = (computing - asleep_computing, in_mpi - asleep_in_mpi);
    let waiting = match rates {
        Some(rates) => rates.waiting.of_computing(wait, wants_computing, wants_in_mpi),
        None => (wait as f64 * wants_computing as f64 / (wants_computing + wants_in_mpi).max(1) as f64) as u64,
    };
    let waiting = waiting.clamp(wait.saturating_sub(wants_in_mpi), wait.min(wants_computing));
    let running = wants_computing - waiting;
    Parts {
        split: Split {
            computing_ns: computing,
            running_ns: running,
            waiting_ns: waiting,
            waiting_least_ns: wait.saturating_sub(in_mpi),
            waiting_most_ns: wait.min(computing),
            asleep_ns: asleep_computing,
        },
        running_in_mpi_ns: run.saturating_sub(running),
        asleep_in_mpi_ns: asleep_in_mpi,
    }
}

/// All ranks; nothing where no rank has two samples in the part that is analysed.
pub(super) fn measure(dimensions: &Dimensions, lines: &Timelines, scope: &Scope) -> Option<(Vec<RankUse>, Windows)> {
    let length_ns = scope.end_ns.saturating_sub(scope.start_ns).div_ceil(WINDOWS as u64).max(1);
    let mut windows = vec![Window::default(); WINDOWS];
    let mut found = Vec::new();
    let host_of = |row: &RankRow| dimensions.hosts.iter().find(|host| host.has_frequency && host.host == row.host);
    for (at, row) in dimensions.ranks.iter().enumerate() {
        let cores = &row.cores;
        let inside = |s: &&CpuSample| s.at_ns >= row.rows_from_ns && s.at_ns <= row.rows_until_ns;
        let samples: Vec<&CpuSample> = cores.samples.iter().filter(inside).collect();
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else { continue };
        if first.at_ns >= last.at_ns {
            continue;
        }
        let sampled_ns = last.at_ns - first.at_ns;
        // Files are not trusted: a thread cannot run, or wait, for longer than the time that passes.
        let grown = |of: fn(&CpuSample) -> u64, threads: u64| {
            of(last).saturating_sub(of(first)).min(sampled_ns.saturating_mul(threads.clamp(1, MOST_THREADS)))
        };
        let threads = samples.iter().map(|s| s.threads).max().unwrap_or(1);
        let mut of_rank = RankUse {
            rank: row.world_rank,
            host: row.host.clone(),
            cores_allowed: cores.processors(),
            threads,
            sampled_ns,
            cpu_ns: grown(|s| s.run_ns, threads),
            run_queue_ns: grown(|s| s.wait_ns, threads),
            main_cpu_ns: grown(|s| s.main_run_ns, 1),
            main_run_queue_ns: grown(|s| s.main_wait_ns, 1),
            voluntary_switches: cores.voluntary_switches,
            involuntary_switches: cores.involuntary_switches,
            mhz: host_of(row).and_then(|host| super::hosts::frequency(cores, host)),
            ..RankUse::default()
        };
        of_rank.core_share = of_rank.cpu_ns as f64 / of_rank.sampled_ns as f64;
        let mut stretches = Vec::with_capacity(samples.len());
        for pair in samples.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            stretches.push(SampleSpan {
                length_ns: b.at_ns.saturating_sub(a.at_ns),
                computing_ns: lines.computing_ns(at, a.at_ns, b.at_ns)?,
                run_ns: b.main_run_ns.saturating_sub(a.main_run_ns),
                wait_ns: b.main_wait_ns.saturating_sub(a.main_wait_ns),
            });
        }
        carry_back(&mut stretches);
        let rates = rates(&stretches);
        for (pair, stretch) in samples.windows(2).zip(&stretches) {
            let (a, b) = (pair[0], pair[1]);
            let parts = parts(*stretch, rates.as_ref());
            of_rank.computing = of_rank.computing + parts.split;
            of_rank.running_in_mpi_ns += parts.running_in_mpi_ns;
            of_rank.asleep_in_mpi_ns += parts.asleep_in_mpi_ns;
            let all_run_ns = b.run_ns.saturating_sub(a.run_ns);
            spread(&mut windows, (scope.start_ns, length_ns), (a.at_ns, b.at_ns), stretch, &parts.split, all_run_ns);
        }
        found.push(of_rank);
    }
    (!found.is_empty()).then(|| (found, series(&windows, scope.start_ns, length_ns)))
}

/// The kernel counts a wait at its end, all at once: what does not fit into that interval was before it.
pub(super) fn carry_back(stretches: &mut [SampleSpan]) {
    let mut carried_ns = 0;
    for stretch in stretches.iter_mut().rev() {
        stretch.wait_ns = stretch.wait_ns.saturating_add(carried_ns);
        let room_ns = stretch.length_ns.saturating_sub(stretch.run_ns);
        carried_ns = stretch.wait_ns.saturating_sub(room_ns);
        stretch.wait_ns -= carried_ns;
    }
}

/// Adds a stretch to the windows that it touches, evenly.
fn spread(
    windows: &mut [Window],
    (start_ns, length_ns): (u64, u64),
    (from_ns, until_ns): (u64, u64),
    stretch: &SampleSpan,
    split: &Split,
    cpu_ns: u64,
) {
    let number = |ns: u64| ((ns.saturating_sub(start_ns) / length_ns) as usize).min(WINDOWS - 1);
    let touched = number(from_ns)..=number(until_ns).max(number(from_ns));
    for (at, window) in touched.clone().zip(&mut windows[touched]) {
        let begin = start_ns + at as u64 * length_ns;
        let end = if at + 1 == WINDOWS { u64::MAX } else { begin + length_ns };
        let inside = end.min(until_ns).saturating_sub(begin.max(from_ns)) as f64;
        let part = inside / (until_ns - from_ns).max(1) as f64;
        window.sampled_ns += stretch.length_ns as f64 * part;
        window.cpu_ns += cpu_ns as f64 * part;
        window.queue_ns += stretch.wait_ns as f64 * part;
        window.computing_ns += split.computing_ns as f64 * part;
        window.waiting_ns += split.waiting_ns as f64 * part;
    }
}

fn series(windows: &[Window], start_ns: u64, length_ns: u64) -> Windows {
    let share = |a: f64, b: f64| if b > 0.0 { (a / b * 1e4).round() / 1e4 } else { 0.0 };
    let list = |of: fn(&Window) -> (f64, f64)| windows.iter().map(|w| share(of(w).0, of(w).1)).collect();
    Windows {
        start_ns: (0..windows.len() as u64).map(|at| start_ns + at * length_ns).collect(),
        length_ns,
        core_share: list(|w| (w.cpu_ns, w.sampled_ns)),
        run_queue_share: list(|w| (w.queue_ns, w.sampled_ns)),
        waiting_share: list(|w| (w.waiting_ns, w.computing_ns)),
    }
}
