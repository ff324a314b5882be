//! `threads`: several threads of a process that exchange messages, against as many processes.
//!
//! Two ranks with *n* threads each, which have a communicator of their own, exchange messages in pairs of threads; beside it, *n* pairs of ranks
//! do the same. With *n* = 1, both are the same. MPI is initialized with `MPI_THREAD_MULTIPLE`; what this costs a process with one thread
//! shows the comparison of two profiles, with and without it.
//!
//! Source: Thakur and Gropp, *Test Suite for Evaluating Performance of MPI Implementations That Support MPI_THREAD_MULTIPLE* (2007).

use std::sync::{Arc, Barrier, mpsc};
use std::time::{Duration, Instant};

use mpiscope_machine::{Parameter, Scope};

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::intervals::of_medians;
use crate::journal::Measured;
use crate::ratio::Ratio;
use crate::rounds::{Together, together};
use crate::schedule::Place;
use crate::session::Session;
use crate::swap::Swap;

pub const EXPERIMENT: Experiment = Experiment {
    id: "threads",
    what: "two ranks with 1, 2 and 4 threads exchange messages, each pair of threads on its own communicator; beside it, as many pairs of ranks; with MPI_THREAD_MULTIPLE",
    measures: "time in which each thread, or each rank, exchanges one message, by size",
    parameters: "messages per second of all threads and of all ranks; time with threads divided by that with ranks",
    source: "Thakur and Gropp, Test Suite for MPI Implementations That Support MPI_THREAD_MULTIPLE (2007)",
    fewest_ranks: 2,
    weight: 2,
    is_standard: false,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::Times, rows: Rows::Series(&["by", "number"]), shown: |_, _| true },
};

const SIZES: [usize; 3] = [8, 8 << 10, 128 << 10];
/// Threads of a rank, or pairs of ranks.
const NUMBERS: [usize; 3] = [1, 2, 4];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Threads,
    Ranks,
}

/// A place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    by: By,
    number: usize,
    bytes: usize,
}

fn series(by: By, number: usize) -> String {
    let by = match by {
        By::Threads => "threads",
        By::Ranks => "ranks",
    };
    format!("{by}/{number}")
}

/// Pairs of ranks only as many as there are.
fn cases(size: i32, most: usize) -> Vec<Case> {
    let mut found = Vec::new();
    for (by, number) in [By::Threads, By::Ranks].into_iter().flat_map(|by| NUMBERS.map(|number| (by, number))) {
        // The smallest size is always there.
        for bytes in SIZES.into_iter().filter(|&bytes| bytes <= most || bytes == SIZES[0]) {
            if by == By::Threads || 2 * number <= size as usize {
                found.push(Case { by, number, bytes });
            }
        }
    }
    found
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    if !session.has_threads {
        // The session has reported it, on every rank the same.
        return Ok(());
    }
    let (mpi, rank, half) = (session.mpi, session.rank, session.size / 2);
    let cases = cases(session.size, session.plan.max_bytes);
    let place = |case: &Case| Place { series: series(case.by, case.number), x: case.bytes as u64, moved: 0.0 };
    let places = cases.iter().map(place).collect();
    let most = cases.iter().map(|case| case.bytes).max().unwrap_or(0);
    let comms = NUMBERS.iter().max().map_or(0, |&most| most);
    let comms = (0..comms).map(|_| mpi.world().dup()).collect::<Result<Vec<_>, _>>()?;
    let peer = if rank < half { rank + half } else { rank - half };
    let mut swaps = Vec::new();
    // A last rank of an odd number has no other.
    if rank < 2 * half {
        for &comm in &comms {
            swaps.push(Swap::new(mpi, comm, rank, peer, most)?);
        }
    }
    std::thread::scope(|scope| {
        let workers = swaps.into_iter().map(|swap| Worker::spawn(scope, swap)).collect();
        together(session, places, &mut Work { pair: rank.min(peer) as usize, cases, workers })
    })?;
    comms.into_iter().try_for_each(|comm| comm.free())?;
    Ok(())
}

/// What a thread does next, when the others of its rank do the same.
struct Job {
    begin: Arc<Barrier>,
    bytes: usize,
    operations: u64,
    /// Compares every byte of one operation; the series and the number of the place.
    verified: Option<(String, u32)>,
}

/// A thread that exchanges messages until this is dropped.
struct Worker {
    jobs: mpsc::Sender<Job>,
    times: mpsc::Receiver<Result<Duration, BenchError>>,
}

impl Worker {
    fn spawn<'scope>(scope: &'scope std::thread::Scope<'scope, '_>, mut swap: Swap<'scope>) -> Worker {
        let (jobs, to_do) = mpsc::channel::<Job>();
        let (done, times) = mpsc::channel();
        scope.spawn(move || {
            for job in to_do {
                job.begin.wait();
                if done.send(job.run(&mut swap)).is_err() {
                    return;
                }
            }
        });
        Worker { jobs, times }
    }
}

impl Job {
    fn run(&self, swap: &mut Swap) -> Result<Duration, BenchError> {
        if let Some((series, place)) = &self.verified {
            swap.prepare(*place, self.bytes);
            swap.swap(self.bytes)?;
            swap.check(*place, self.bytes, series)?;
            return Ok(Duration::ZERO);
        }
        let begun = Instant::now();
        (0..self.operations).try_for_each(|_| swap.swap(self.bytes))?;
        Ok(begun.elapsed())
    }
}

struct Work {
    cases: Vec<Case>,
    /// The number of this rank's pair.
    pair: usize,
    /// None if the rank has no other.
    workers: Vec<Worker>,
}

impl Work {
    /// The time of the slowest of this rank's threads that take part; `None` if there are none.
    fn run(&self, at: usize, operations: u64, is_verified: bool) -> Result<Option<Duration>, BenchError> {
        let case = self.cases[at];
        let threads = match case.by {
            By::Threads if self.pair == 0 => case.number,
            By::Ranks if self.pair < case.number => 1,
            _ => 0,
        };
        let workers = &self.workers[..threads.min(self.workers.len())];
        let begin = Arc::new(Barrier::new(workers.len()));
        let ended = || BenchError::Failed("threads: a thread has ended early".to_owned());
        for (thread, worker) in workers.iter().enumerate() {
            let place = (at * NUMBERS.len() + thread) as u32;
            let verified = is_verified.then(|| (series(case.by, case.number), place));
            let job = Job { begin: begin.clone(), bytes: case.bytes, operations, verified };
            worker.jobs.send(job).map_err(|_| ended())?;
        }
        let mut slowest = None;
        for worker in workers {
            slowest = slowest.max(Some(worker.times.recv().map_err(|_| ended())??));
        }
        Ok(slowest)
    }
}

impl Together for Work {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        self.run(at, 1, true).map(|_| ())
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        self.run(at, operations, false)
    }
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let mut found = Vec::new();
    for (by, number) in [By::Threads, By::Ranks].into_iter().flat_map(|by| NUMBERS.map(|number| (by, number))) {
        let series = series(by, number);
        let Some(times) = measured.times_at(Scope::All, &series, SIZES[0] as u64) else { continue };
        // Each of both ends sends one.
        let (value, interval) = of_medians(&[times], 7, |of| 2e9 * number as f64 / of[0]);
        found.push(Parameter {
            experiment: EXPERIMENT.id.to_owned(),
            id: format!("rate_{}", series.replace('/', "_")),
            from_bytes: Some(SIZES[0] as u64),
            to_bytes: Some(SIZES[0] as u64),
            text: match by {
                By::Threads => {
                    format!("messages per second of two ranks with {number} thread(s) each, both directions")
                }
                By::Ranks => format!("the same of {number} pair(s) of ranks with one thread"),
            },
            ..measured.parameter(Scope::All, "1/s", value, interval)
        });
    }
    for number in NUMBERS {
        let ratio = Ratio {
            experiment: EXPERIMENT.id,
            id: format!("threads_to_ranks_{number}"),
            of: &series(By::Threads, number),
            by: &series(By::Ranks, number),
            text: format!("time with {number} thread(s) in two ranks, divided by that with {number} pair(s) of ranks"),
        };
        found.extend(ratio.parameters(measured));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_compared_as_far_as_there_are_some() {
        let numbers = |size: i32, by: By| {
            let mut found: Vec<usize> =
                cases(size, 8 << 20).iter().filter(|case| case.by == by).map(|case| case.number).collect();
            found.dedup();
            found
        };
        assert_eq!((numbers(2, By::Threads), numbers(2, By::Ranks)), (vec![1, 2, 4], vec![1]));
        assert_eq!((numbers(5, By::Ranks), numbers(16, By::Ranks)), (vec![1, 2], vec![1, 2, 4]));
        assert!(cases(2, 1).iter().all(|case| case.bytes == 8));
    }

    #[test]
    fn threads_are_compared_with_ranks() {
        let mut measured = Measured::default();
        for (by, ns) in [(By::Threads, 4000.0), (By::Ranks, 1000.0)] {
            measured.times.insert((Scope::All, series(by, 2), 8), vec![ns; 9]);
        }
        let found = parameters(&measured);
        let values: Vec<(&str, f64)> = found.iter().map(|p| (p.id.as_str(), p.value)).collect();
        assert_eq!(values, [("rate_threads_2", 1e6), ("rate_ranks_2", 4e6), ("threads_to_ranks_2", 4.0)]);
    }
}
