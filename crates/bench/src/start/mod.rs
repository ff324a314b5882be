//! `start`: what it takes until a job can communicate: time of `MPI_Init`, of new communicators and windows, and memory.
//!
//! Each rank times its own `MPI_Init_thread`, before any experiment. Collective calls are timed on every rank; a sample is the time
//! of the slowest. Memory is what the kernel counts for the process, before and after `MPI_Init_thread`, and as it exchanges first messages
//! with one rank after the other. Further jobs have fewer ranks.

pub mod by_ranks;
mod connections;
mod footprint;
mod parameters;

use std::time::{Duration, Instant};

use mpiscope_machine::Scope;
use mpiscope_mpi::{Comm, Mpi, MpiError, Rank, ThreadLevel};

use crate::doubling::doubles;
use crate::error::BenchError;
use crate::experiment::{AxisOf, Experiment, Numbers, Rows, Table};
use crate::one_sided;
use crate::rounds::{Together, together};
use crate::schedule::Place;
use crate::session::Session;
pub use footprint::Footprint;

pub const EXPERIMENT: Experiment = Experiment {
    id: "start",
    what: "MPI_Init, new communicators and windows, first messages to every rank",
    measures: "time of each, and how the memory of a process grows, by number of ranks",
    parameters: "init, comm_dup, comm_split, win_create; memory before and after MPI_Init, after first messages with 1, 2, 4, … ranks, for each connection, and in jobs with 2, 4, 8, … ranks",
    source: "Gropp and Lusk, Programming in MPI for Performance; Balaji et al., MPI on a Million Processors (2009)",
    fewest_ranks: 1,
    run,
    parameters_of: parameters::parameters,
    weight: 1,
    is_standard: true,
    axis: |_| AxisOf { name: "ranks", unit: "ranks" },
    table: Table { numbers: Numbers::Times, rows: Rows::Series(&["call"]), shown: |_, _| true },
};

/// Most time without a smaller `--budget`.
const MOST_TIME: Duration = Duration::from_secs(3);
/// Memory of a window.
const WINDOW_BYTES: usize = 4096;

/// Time and memory of `MPI_Init_thread` on this rank.
#[derive(Clone, Debug, Default)]
pub struct Started {
    init_ns: f64,
    before: Option<Footprint>,
    after: Option<Footprint>,
    /// After first messages with so many ranks.
    connected: Vec<(usize, Footprint)>,
}

impl Started {
    /// Initializes MPI; which level of threads it provides.
    pub fn init(mpi: &Mpi, level: ThreadLevel) -> Result<(Started, ThreadLevel), MpiError> {
        let before = Footprint::now();
        let begin = Instant::now();
        let provided = mpi.init(level)?;
        let init_ns = begin.elapsed().as_nanos() as f64;
        Ok((Started { init_ns, before, after: Footprint::now(), connected: Vec::new() }, provided))
    }

    /// Exchanges the first messages. Every rank calls it, before any other message.
    pub fn connect(&mut self, mpi: &Mpi, rank: Rank, size: i32) -> Result<(), BenchError> {
        self.connected = connections::connect(mpi, rank, size)?;
        Ok(())
    }
}

/// A collective call that makes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    Dup,
    Split,
    Window,
}

const ALL_MADE: [Made; 3] = [Made::Dup, Made::Split, Made::Window];

impl Made {
    /// Stable name of the series and of the parameter.
    fn name(self) -> &'static str {
        match self {
            Made::Dup => "comm_dup",
            Made::Split => "comm_split",
            Made::Window => "win_create",
        }
    }

    /// What the parameter is.
    fn text(self) -> &'static str {
        match self {
            Made::Dup => "MPI_Comm_dup of all ranks, slowest rank",
            Made::Split => "MPI_Comm_split of all ranks into two halves, slowest rank",
            Made::Window => "MPI_Win_create of 4 KiB on each rank, slowest rank",
        }
    }

    /// The time of the call on the ranks of a communicator; what it makes is freed again.
    fn time(self, mpi: &Mpi, of: Comm, rank: Rank) -> Result<Duration, MpiError> {
        let memory = vec![0; WINDOW_BYTES];
        let begin = Instant::now();
        let made = match self {
            Made::Dup => of.dup()?,
            Made::Split => of.split(rank % 2, 0)?,
            Made::Window => {
                let window = mpi.window(of, memory)?;
                let time = begin.elapsed();
                mpi.free_window(window)?;
                return Ok(time);
            }
        };
        let time = begin.elapsed();
        made.free()?;
        Ok(time)
    }
}

/// The calls of this MPI, on this rank.
struct Calls<'a> {
    mpi: &'a Mpi,
    rank: Rank,
    cases: Vec<Case<'a>>,
}

/// A place: what the first ranks make.
#[derive(Clone, Copy)]
struct Case<'a> {
    made: Made,
    ranks: i32,
    of: Comm<'a>,
}

/// Numbers of ranks: all, and if the experiment is named also 2, 4, 8, …
fn numbers_of_ranks(size: i32, is_named: bool) -> Vec<i32> {
    let fewer = doubles(2, if is_named { size as usize } else { 0 });
    fewer.map(|ranks| ranks as i32).chain([size]).collect()
}

impl Together for Calls<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        self.batch(at, 1).map(|_| ())
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        let Case { made, ranks, of } = self.cases[at];
        if self.rank >= ranks {
            return Ok(None);
        }
        let times = (0..operations).map(|_| made.time(self.mpi, of, self.rank));
        Ok(Some(times.sum::<Result<Duration, MpiError>>()?))
    }
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    session.budget = session.budget.min(MOST_TIME);
    for rank in 0..session.size {
        if rank != session.rank {
            session.idle(rank)?;
            continue;
        }
        record(session);
        session.release(rank)?;
    }
    by_ranks::measure_all(session)?;
    let mpi = session.mpi;
    // Open MPI 4.1 has no transport for a window of one process, and ends the job.
    let problem = if session.size > 1 { one_sided::problem(session)? } else { None };
    let with_windows = mpi.has_windows() && session.size > 1 && problem.is_none();
    if let Some(problem) = problem.filter(|_| session.rank == 0) {
        session.problem(format!("{problem}: MPI_Win_create was left out"));
    }
    let made: Vec<Made> = ALL_MADE.into_iter().filter(|made| *made != Made::Window || with_windows).collect();
    if !mpi.has_windows() && session.rank == 0 {
        session.problem("start: this MPI has no MPI_Win_create".to_owned());
    }
    let (rank, size) = (session.rank, session.size);
    let mut cases = Vec::new();
    let mut groups = Vec::new();
    for ranks in numbers_of_ranks(size, session.is_named()) {
        let of = if ranks < size { mpi.world().split(i32::from(rank < ranks), rank)? } else { mpi.world() };
        groups.extend((ranks < size).then_some(of));
        cases.extend(made.iter().map(|&made| Case { made, ranks, of }));
    }
    let place = |case: &Case| Place { series: case.made.name().to_owned(), x: case.ranks as u64, moved: 0.0 };
    let places = cases.iter().map(place).collect();
    together(session, places, &mut Calls { mpi, rank, cases })?;
    Ok(groups.into_iter().try_for_each(Comm::free)?)
}

fn record(session: &mut Session) {
    let scope = Scope::Rank(session.rank);
    let Started { init_ns, before, after, connected } = session.started.clone();
    session.fact(scope, "init_ns", init_ns);
    let mut keep = |moment: &str, footprint: Footprint| {
        session.fact(scope, &format!("{moment}_resident"), footprint.resident as f64);
        session.fact(scope, &format!("{moment}_proportional"), footprint.proportional as f64);
    };
    for (moment, footprint) in [("before_init", before), ("after_init", after)] {
        footprint.into_iter().for_each(|footprint| keep(moment, footprint));
    }
    for (partners, footprint) in connected {
        keep(&connections::moment(partners), footprint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ranks_are_always_there() {
        assert_eq!(numbers_of_ranks(12, true), [2, 4, 8, 12]);
        assert_eq!(numbers_of_ranks(8, true), [2, 4, 8]);
        assert_eq!([numbers_of_ranks(1, true), numbers_of_ranks(2, true), numbers_of_ranks(8, false)], [[1], [2], [8]]);
    }
}
