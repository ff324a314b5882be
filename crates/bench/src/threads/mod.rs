//! `threads`: several threads of a process that exchange messages, against as many processes.
//!
//! Two ranks with *n* threads each, which have a communicator of their own, exchange messages in pairs of threads; beside it, *n* pairs of ranks
//! do the same. With *n* = 1, both are the same. MPI is initialized with `MPI_THREAD_MULTIPLE`; what this costs a process with one thread
//! is measured by jobs of their own ([`level`]).
//!
//! A partitioned message has a part of each thread, and one thread starts and completes it. So the threads meet before and after they mark their parts
//! as ready, as at both ends of a parallel region. Threads with messages of their own are also measured with these barriers: what remains is the
//! difference of the messages.
//!
//! Source: Thakur and Gropp, *Test Suite for Evaluating Performance of MPI Implementations That Support MPI_THREAD_MULTIPLE* (2007); Dosanjh et al.,
//! *Implementation and Evaluation of MPI 4.0 Partitioned Communication Libraries* (2021).

pub mod level;
mod parts;
mod turn;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use mpiscope_machine::{Parameter, Scope};

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::intervals::of_medians;
use crate::journal::Measured;
use crate::partitioned;
use crate::ratio::Ratio;
use crate::rounds::{Together, together};
use crate::schedule::Place;
use crate::session::Session;
use crate::swap::Swap;
use parts::Parts;
use turn::Turn;
use worker::{How, Job, Joint, Worker, ended_early};

pub const EXPERIMENT: Experiment = Experiment {
    id: "threads",
    what: "two ranks with 1, 2 and 4 threads exchange messages, each pair of threads on its own communicator, or in a partitioned message; beside it, as many pairs of ranks; with MPI_THREAD_MULTIPLE, and one thread also with MPI_THREAD_SINGLE",
    measures: "time in which each thread, or each rank, exchanges one message, by size",
    parameters: "messages per second of all threads and of all ranks; time with threads divided by that with ranks, partitioned divided by messages of each thread; what MPI_THREAD_MULTIPLE adds for one thread",
    source: "Thakur and Gropp, Test Suite for MPI Implementations That Support MPI_THREAD_MULTIPLE (2007); Dosanjh et al., MPI 4.0 Partitioned Communication Libraries (2021)",
    fewest_ranks: 2,
    weight: 2,
    is_standard: false,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::Times, rows: Rows::Series(&["by", "number or level"]), shown: |_, _| true },
};

const SIZES: [usize; 3] = [8, 8 << 10, 128 << 10];
/// Threads of a rank, or pairs of ranks.
const NUMBERS: [usize; 3] = [1, 2, 4];

/// Sizes of up to so many bytes. The smallest is always there.
fn sizes(most: usize) -> Vec<usize> {
    SIZES.into_iter().filter(|&bytes| bytes <= most || bytes == SIZES[0]).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Threads,
    /// Threads between two barriers.
    Joined,
    Partitioned,
    Ranks,
}

impl By {
    const ALL: [By; 4] = [By::Threads, By::Joined, By::Partitioned, By::Ranks];

    /// Stable name.
    fn name(self) -> &'static str {
        match self {
            By::Threads => "threads",
            By::Joined => "threads-joined",
            By::Partitioned => "partitioned",
            By::Ranks => "ranks",
        }
    }

    fn numbers() -> impl Iterator<Item = (By, usize)> {
        By::ALL.into_iter().flat_map(|by| NUMBERS.map(|number| (by, number)))
    }
}

/// A place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    by: By,
    number: usize,
    /// Of each thread, or rank.
    bytes: usize,
}

fn series(by: By, number: usize) -> String {
    format!("{}/{number}", by.name())
}

/// Pairs of ranks only as many as there are.
fn cases(size: i32, most: usize, has_parts: bool) -> Vec<Case> {
    let mut found = Vec::new();
    for (by, number) in By::numbers() {
        let is_possible = match by {
            By::Threads | By::Joined => true,
            By::Partitioned => has_parts,
            By::Ranks => 2 * number <= size as usize,
        };
        found.extend(sizes(most).into_iter().filter(|_| is_possible).map(|bytes| Case { by, number, bytes }));
    }
    found
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    if !session.has_threads {
        // The session has reported it, on every rank the same.
        return Ok(());
    }
    level::announce(session);
    let (mpi, rank, half) = (session.mpi, session.rank, session.size / 2);
    let lack = partitioned::lack(mpi)?;
    if let Some(lack) = lack.as_ref().filter(|_| rank == 0) {
        session.problem(format!("threads: partitioned messages were left out: {lack}"));
    }
    let has_parts = lack.is_none();
    let cases = cases(session.size, session.plan.max_bytes, has_parts);
    let place = |case: &Case| Place { series: series(case.by, case.number), x: case.bytes as u64, moved: 0.0 };
    let places = cases.iter().map(place).collect();
    let most = cases.iter().map(|case| case.bytes).max().unwrap_or(0);
    let comms = NUMBERS.iter().max().map_or(0, |&most| most);
    let comms = (0..comms).map(|_| mpi.world().dup()).collect::<Result<Vec<_>, _>>()?;
    let peer = if rank < half { rank + half } else { rank - half };
    let pair = rank.min(peer) as usize;
    let mut swaps = Vec::new();
    // A last rank of an odd number has no other.
    if rank < 2 * half {
        for &comm in &comms {
            swaps.push(Swap::new(mpi, comm, rank, peer, most)?);
        }
    }
    let mut parts = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let is_own = case.by == By::Partitioned && pair == 0 && rank < 2 * half;
        let own = |_| Parts::new(mpi, mpi.world(), (rank, peer), (case.number, case.bytes), at);
        parts.push(is_own.then_some(()).map(own).transpose()?);
    }
    std::thread::scope(|scope| {
        let workers = swaps.into_iter().map(|swap| Worker::spawn(scope, swap)).collect();
        together(session, places, &mut Work { pair, cases, parts: &parts, workers })
    })?;
    parts.into_iter().flatten().try_for_each(Parts::free)?;
    comms.into_iter().try_for_each(|comm| comm.free())?;
    Ok(())
}

struct Work<'env, 'a> {
    cases: Vec<Case>,
    /// The partitioned messages of the cases that have some.
    parts: &'env [Option<Parts<'a>>],
    /// The number of this rank's pair.
    pair: usize,
    /// None if the rank has no other.
    workers: Vec<Worker<'env, 'a>>,
}

impl Work<'_, '_> {
    /// The time of the slowest of this rank's threads that take part; `None` if there are none.
    fn run(&self, at: usize, operations: u64, is_verified: bool) -> Result<Option<Duration>, BenchError> {
        let case = self.cases[at];
        let (threads, how) = match (case.by, &self.parts[at]) {
            (By::Ranks, _) if self.pair < case.number => (1, How::Freely),
            (By::Threads, _) if self.pair == 0 => (case.number, How::Freely),
            (By::Joined, _) if self.pair == 0 => (case.number, How::Jointly),
            (By::Partitioned, Some(parts)) => (case.number, How::InParts(parts)),
            _ => return Ok(None),
        };
        let workers = &self.workers[..threads.min(self.workers.len())];
        let joint = Joint(Arc::new(Turn::new(workers.len())));
        for (thread, worker) in workers.iter().enumerate() {
            let place = (at * NUMBERS.len() + thread) as u32;
            let verified = is_verified.then(|| (series(case.by, case.number), place));
            let job = Job { thread, joint: joint.clone(), bytes: case.bytes, operations, how, verified };
            worker.jobs.send(job).map_err(|_| ended_early())?;
        }
        let mut slowest = None;
        for worker in workers {
            slowest = slowest.max(Some(worker.times.recv().map_err(|_| ended_early())??));
        }
        Ok(slowest)
    }
}

impl Together for Work<'_, '_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        self.run(at, 1, true).map(|_| ())
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        self.run(at, operations, false)
    }
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let mut found = Vec::new();
    for (by, number) in By::numbers() {
        let series = series(by, number);
        let Some(times) = measured.times_at(Scope::All, &series, SIZES[0] as u64) else { continue };
        // Each of both ends sends one.
        let (value, interval) = of_medians(&[times], 7, |of| 2e9 * number as f64 / of[0]);
        found.push(Parameter {
            experiment: EXPERIMENT.id.to_owned(),
            id: format!("rate_{}", series.replace(['/', '-'], "_")),
            from_bytes: Some(SIZES[0] as u64),
            to_bytes: Some(SIZES[0] as u64),
            text: match by {
                By::Threads => {
                    format!("messages per second of two ranks with {number} thread(s) each, both directions")
                }
                By::Joined => format!("the same of {number} thread(s) that meet before and after each exchange"),
                By::Partitioned => format!("parts per second of a message with {number} part(s), one of each thread"),
                By::Ranks => format!("messages per second of {number} pair(s) of ranks with one thread"),
            },
            ..measured.parameter(Scope::All, "1/s", value, interval)
        });
    }
    for number in NUMBERS {
        let ratios = [
            (
                "threads_to_ranks",
                By::Threads,
                By::Ranks,
                format!("time with {number} thread(s) in two ranks, divided by that with {number} pair(s) of ranks"),
            ),
            (
                "partitioned_to_joined",
                By::Partitioned,
                By::Joined,
                format!(
                    "time of a partitioned message of {number} thread(s), divided by that of a message of each thread, both between barriers of the threads"
                ),
            ),
        ];
        for (id, of, by, text) in ratios {
            let (of, by) = (series(of, number), series(by, number));
            let ratio = Ratio { experiment: EXPERIMENT.id, id: format!("{id}_{number}"), of: &of, by: &by, text };
            found.extend(ratio.parameters(measured));
        }
    }
    found.extend(level::parameters(measured));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_compared_as_far_as_there_are_some() {
        let numbers = |size: i32, by: By| {
            let mut found: Vec<usize> =
                cases(size, 8 << 20, true).iter().filter(|case| case.by == by).map(|case| case.number).collect();
            found.dedup();
            found
        };
        assert_eq!((numbers(2, By::Threads), numbers(2, By::Ranks)), (vec![1, 2, 4], vec![1]));
        assert_eq!((numbers(5, By::Ranks), numbers(16, By::Ranks)), (vec![1, 2], vec![1, 2, 4]));
        assert_eq!((numbers(2, By::Partitioned), numbers(2, By::Joined)), (vec![1, 2, 4], vec![1, 2, 4]));
        assert!(cases(2, 1, false).iter().all(|case| case.bytes == 8 && case.by != By::Partitioned));
    }

    #[test]
    fn threads_are_compared_with_ranks() {
        let mut measured = Measured::default();
        for (by, ns) in [(By::Threads, 4000.0), (By::Ranks, 1000.0), (By::Joined, 5000.0), (By::Partitioned, 10_000.0)]
        {
            measured.times.insert((Scope::All, series(by, 2), 8), vec![ns; 9]);
        }
        let found = parameters(&measured);
        let values: Vec<(&str, f64)> = found.iter().map(|p| (p.id.as_str(), p.value)).collect();
        let expected = [
            ("rate_threads_2", 1e6),
            ("rate_threads_joined_2", 8e5),
            ("rate_partitioned_2", 4e5),
            ("rate_ranks_2", 4e6),
            ("threads_to_ranks_2", 4.0),
            ("partitioned_to_joined_2", 2.0),
        ];
        assert_eq!(values, expected);
    }
}
