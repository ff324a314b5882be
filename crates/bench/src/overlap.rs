//! `overlap`: how much of a transfer an MPI hides behind computing, and how much computing time that takes.
//!
//! Two ranks exchange a message while both compute for twice the time of the transfer alone. If the MPI makes progress without being called, the whole
//! takes as long as computing alone; if not, as long as both after each other. So do a call of `MPI_Testall` every few µs, and a thread that
//! waits for the messages.
//!
//! Source: Lawry et al., *COMB: A Portable Benchmark Suite for Assessing MPI Overlap* (2002); Hoefler and Lumsdaine, *Message Progression in Parallel
//! Computing – To Thread or not to Thread?* (2008).

use std::sync::mpsc;
use std::time::{Duration, Instant};

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::{Requests, Tag};
use mpiscope_statistics::{median, sorted};

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::intervals::of_medians;
use crate::journal::Measured;
use crate::noise::Quantum;
use crate::pairwise::{End, pairwise};
use crate::rounds::Together;
use crate::schedule::Place;
use crate::session::Session;
use crate::swap::Swap;

pub const EXPERIMENT: Experiment = Experiment {
    id: "overlap",
    what: "two ranks exchange a message while both compute: by MPI_Isend, MPI_Irecv and MPI_Waitall alone, also with MPI_Testall in between; with --threads, also by a thread that waits for the messages",
    measures: "time of the exchange alone, of computing alone, of both, and of computing meanwhile, by size",
    parameters: "share of the exchange that is hidden behind computing; share by which computing takes longer meanwhile",
    source: "COMB (Lawry et al. 2002); Hoefler and Lumsdaine, Message Progression in Parallel Computing (2008)",
    fewest_ranks: 2,
    weight: 1,
    is_standard: true,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::Times, rows: Rows::Series(&["progress by", "time of"]), shown: |_, _| true },
};

const LENGTH: Tag = 7602;
/// Sizes in the standard set, and if the experiment is named.
const FEW: [usize; 3] = [1 << 10, 64 << 10, 1 << 20];
const MANY: [usize; 5] = [1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// Exchanges from which the length of the computing is taken, and those before them.
const TRIALS: usize = 9;
const WARM_UP: usize = 3;
/// Computing time, in times of the exchange alone.
const LONGER: f64 = 2.0;

/// How the messages make progress while the ranks compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Only by what the MPI and the network do by themselves.
    Itself,
    /// `MPI_Testall` every so many µs.
    Tests(u64),
    /// A thread in `MPI_Waitall`.
    Thread,
}

impl Progress {
    fn name(self) -> String {
        match self {
            Progress::Itself => "itself".to_owned(),
            Progress::Tests(every) => format!("test-{every}us"),
            Progress::Thread => "thread".to_owned(),
        }
    }

    fn text(self) -> String {
        match self {
            Progress::Itself => "no call of MPI meanwhile".to_owned(),
            Progress::Tests(every) => format!("MPI_Testall every {every} µs"),
            Progress::Thread => "a thread in MPI_Waitall".to_owned(),
        }
    }
}

const ALL_PROGRESS: [Progress; 5] =
    [Progress::Itself, Progress::Tests(2), Progress::Tests(10), Progress::Tests(50), Progress::Thread];

/// What is done, and which part of it is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The exchange without computing.
    Exchange,
    /// Computing without an exchange.
    Computing,
    /// Both at once.
    Both(Progress),
    /// The computing of the same.
    ComputingOfBoth(Progress),
}

impl Part {
    fn series(self) -> String {
        match self {
            Part::Exchange => "alone/exchange".to_owned(),
            Part::Computing => "alone/computing".to_owned(),
            Part::Both(progress) => format!("{}/both", progress.name()),
            Part::ComputingOfBoth(progress) => format!("{}/computing", progress.name()),
        }
    }
}

fn parts(is_named: bool, has_threads: bool) -> Vec<Part> {
    let is_measured = |progress: &Progress| match progress {
        Progress::Itself => true,
        Progress::Tests(every) => is_named || *every == 10,
        Progress::Thread => has_threads,
    };
    let of = |progress: Progress| [Part::Both(progress), Part::ComputingOfBoth(progress)];
    let of_both = ALL_PROGRESS.into_iter().filter(is_measured).flat_map(of);
    [Part::Exchange, Part::Computing].into_iter().chain(of_both).collect()
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let (is_named, has_threads) = (session.is_named(), session.has_threads);
    if is_named && !has_threads && session.rank == 0 {
        session.problem("overlap: without MPI_THREAD_MULTIPLE (option --threads) no thread waits for messages".into());
    }
    let all: &[usize] = if is_named { &MANY } else { &FEW };
    let mut sizes: Vec<usize> = all.iter().copied().filter(|&bytes| bytes <= session.plan.max_bytes).collect();
    if sizes.is_empty() {
        sizes.push(session.plan.max_bytes);
    }
    let mut cases = Vec::new();
    for (at, &bytes) in sizes.iter().enumerate() {
        cases.extend(parts(is_named, has_threads).into_iter().map(|part| Case { part, bytes, at }));
    }
    let place = |case: &Case| Place { series: case.part.series(), x: case.bytes as u64, moved: 0.0 };
    let places: Vec<Place> = cases.iter().map(place).collect();
    pairwise(session, &places, &mut |session, end| {
        let most = sizes.iter().copied().max().unwrap_or(0);
        let mut swap = Swap::new(session.mpi, session.mpi.world(), end.own, end.peer, most)?;
        let unit = Quantum::calibrate();
        let lengths = sizes.iter().map(|&bytes| length(&mut swap, end, bytes)).collect::<Result<Vec<_>, _>>()?;
        let works = lengths.into_iter().map(|length| unit.lasting(length)).collect();
        Ok(Work { swap, cases: cases.clone(), works, unit })
    })
}

#[derive(Clone, Copy)]
struct Case {
    part: Part,
    bytes: usize,
    /// Index of the size.
    at: usize,
}

/// How long both ends compute beside an exchange of this size: the leader decides.
fn length(swap: &mut Swap, end: End, bytes: usize) -> Result<Duration, BenchError> {
    let mut times = Vec::new();
    for _ in 0..WARM_UP + TRIALS {
        let begun = Instant::now();
        swap.swap(bytes)?;
        times.push(begun.elapsed().as_nanos() as f64);
    }
    let mut length = ((median(&sorted(&times[WARM_UP..])) * LONGER) as u64).to_ne_bytes();
    if end.is_leader {
        swap.mpi.send(&length, end.peer, LENGTH)?;
    } else {
        swap.mpi.recv(&mut length, end.peer, LENGTH)?;
    }
    Ok(Duration::from_nanos(u64::from_ne_bytes(length)))
}

struct Work<'a> {
    swap: Swap<'a>,
    cases: Vec<Case>,
    /// For each size.
    works: Vec<Quantum>,
    unit: Quantum,
}

impl Work<'_> {
    /// An exchange with computing, so many times: the time of all, and that of computing.
    fn both(
        &mut self,
        progress: Progress,
        bytes: usize,
        work: Quantum,
        operations: u64,
    ) -> Result<(Duration, Duration), BenchError> {
        let swap = &mut self.swap;
        if progress == Progress::Thread {
            return with_thread(swap, bytes, work, operations);
        }
        let (begun, mut computing) = (Instant::now(), Duration::ZERO);
        for _ in 0..operations {
            swap.start(bytes)?;
            let start = Instant::now();
            if let Progress::Tests(every) = progress {
                for part in work.parts(self.unit.lasting(Duration::from_micros(every))) {
                    part.work();
                    swap.mpi.testall(&mut swap.requests)?;
                }
            } else {
                work.work();
            }
            computing += start.elapsed();
            swap.wait()?;
        }
        Ok((begun.elapsed(), computing))
    }
}

/// The same, while a thread waits for the messages.
fn with_thread(
    swap: &mut Swap,
    bytes: usize,
    work: Quantum,
    operations: u64,
) -> Result<(Duration, Duration), BenchError> {
    let mpi = swap.mpi;
    std::thread::scope(|scope| {
        let (started, to_complete) = mpsc::channel::<Requests>();
        let (complete, completed) = mpsc::channel();
        scope.spawn(move || {
            for mut requests in to_complete {
                let result = mpi.waitall(&mut requests);
                if complete.send((requests, result)).is_err() {
                    return;
                }
            }
        });
        // The thread ends only when this end of the channel is dropped.
        let started = started;
        let hand_over = |requests: &mut Requests| {
            // Both ends of the channels live until the scope ends.
            let _ = started.send(std::mem::replace(requests, mpi.requests(2)));
        };
        let await_it = |requests: &mut Requests| match completed.recv() {
            Ok((empty, result)) => {
                *requests = empty;
                Ok(result?)
            }
            Err(_) => Err(BenchError::Failed("overlap: the communicating thread has ended".to_owned())),
        };
        // The thread runs before anything is timed.
        hand_over(&mut swap.requests);
        await_it(&mut swap.requests)?;
        let (begun, mut computing) = (Instant::now(), Duration::ZERO);
        for _ in 0..operations {
            swap.start(bytes)?;
            hand_over(&mut swap.requests);
            let start = Instant::now();
            work.work();
            computing += start.elapsed();
            await_it(&mut swap.requests)?;
        }
        Ok((begun.elapsed(), computing))
    })
}

impl Together for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let Case { part, bytes, .. } = self.cases[at];
        if part == Part::Computing {
            return Ok(());
        }
        self.swap.buffers.prepare(at as u32, bytes);
        self.batch(at, 1)?;
        self.swap.buffers.check(at as u32, bytes, &part.series())
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        let Case { part, bytes, at } = self.cases[at];
        let work = self.works[at];
        let time = match part {
            Part::Exchange => {
                let begun = Instant::now();
                for _ in 0..operations {
                    self.swap.swap(bytes)?;
                }
                begun.elapsed()
            }
            Part::Computing => {
                let begun = Instant::now();
                (0..operations).for_each(|_| work.work());
                begun.elapsed()
            }
            Part::Both(progress) => self.both(progress, bytes, work, operations)?.0,
            Part::ComputingOfBoth(progress) => self.both(progress, bytes, work, operations)?.1,
        };
        Ok(Some(time))
    }
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    measured.scopes().into_iter().flat_map(|scope| of_scope(measured, scope)).collect()
}

fn of_scope(measured: &Measured, scope: Scope) -> Vec<Parameter> {
    let exchange = Part::Exchange.series();
    let sizes: Vec<u64> =
        measured.times_of(scope).filter(|(series, ..)| *series == exchange).map(|(_, bytes, _)| bytes).collect();
    let mut found = Vec::new();
    for progress in ALL_PROGRESS {
        for (id, text) in [
            ("hidden", "share of an exchange that is hidden behind computing"),
            ("computing_lost", "by which share computing takes longer during an exchange"),
        ] {
            for &bytes in &sizes {
                let at = |part: Part| measured.times_at(scope, &part.series(), bytes);
                let number = || {
                    let (alone, computing) = (at(Part::Exchange)?, at(Part::Computing)?);
                    let (both, meanwhile) = (at(Part::Both(progress))?, at(Part::ComputingOfBoth(progress))?);
                    Some(match id {
                        "hidden" => of_medians(&[alone, computing, both], 5, |of| (of[0] + of[1] - of[2]) / of[0]),
                        _ => of_medians(&[computing, meanwhile], 5, |of| of[1] / of[0] - 1.0),
                    })
                };
                let Some((value, interval)) = number() else { continue };
                found.push(Parameter {
                    experiment: EXPERIMENT.id.to_owned(),
                    id: format!("{id}_{}", progress.name()),
                    from_bytes: Some(bytes),
                    to_bytes: Some(bytes),
                    text: format!("{text}: {}", progress.text()),
                    ..measured.parameter(scope, "1", value, interval)
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_depends_on_threads_and_names() {
        assert_eq!(parts(false, false).len(), 2 + 2 * 2);
        assert_eq!(parts(true, false).len(), 2 + 2 * 4);
        assert_eq!(parts(true, true).len(), 2 + 2 * 5);
        let series: std::collections::BTreeSet<String> = parts(true, true).into_iter().map(Part::series).collect();
        assert_eq!(series.len(), 12);
    }

    #[test]
    fn what_is_hidden_is_a_share_of_the_exchange() {
        let mut measured = Measured::default();
        let mut put = |part: Part, ns: f64| {
            measured.times.insert((Scope::Pair(0), part.series(), 1024), vec![ns; 9]);
        };
        put(Part::Exchange, 100.0);
        put(Part::Computing, 200.0);
        // Nothing is hidden.
        put(Part::Both(Progress::Itself), 300.0);
        put(Part::ComputingOfBoth(Progress::Itself), 200.0);
        // Everything, but computing takes longer.
        put(Part::Both(Progress::Tests(10)), 220.0);
        put(Part::ComputingOfBoth(Progress::Tests(10)), 220.0);
        let found = parameters(&measured);
        let values: Vec<(&str, i64)> =
            found.iter().map(|p| (p.id.as_str(), (p.value * 100.0).round() as i64)).collect();
        assert_eq!(
            values,
            [
                ("hidden_itself", 0),
                ("computing_lost_itself", 0),
                ("hidden_test-10us", 80),
                ("computing_lost_test-10us", 10)
            ]
        );
        assert!(found.iter().all(|p| p.unit == "1" && p.from_bytes == Some(1024) && p.low.is_some()));
    }
}
