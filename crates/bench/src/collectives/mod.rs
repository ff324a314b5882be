//! `collectives`: operations of all ranks, each by its own function and by others that make the same.
//!
//! A function that is slower than a combination of others with the same result breaks a guideline that an MPI can keep without effort: it could
//! call them. All ways are measured in turn, in one job. All ranks begin each operation at the same moment, so that rooted operations
//! do not overlap.
//!
//! Source: Träff, Gropp and Thakur, *Self-Consistent MPI Performance Guidelines* (2010); Hunold and Carpen-Amarie, *Tuning MPI Collectives
//! by Verifying Performance Guidelines* (2018).

mod job;
mod operation;
mod teams;
mod ways;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::MpiError;

use crate::doubling::doubles;
use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::journal::Measured;
use crate::ratio::Ratio;
use crate::schedule::Place;
use crate::session::Session;
use crate::windows::{self, Operations, Part, windowed};
use job::Buffers;
use operation::Operation;
use teams::{Teams, is_measured};
use ways::{LIBRARY, WAYS, Way};

pub const EXPERIMENT: Experiment = Experiment {
    id: "collectives",
    what: "operations of all ranks on MPI_DOUBLE, by their own functions and by others that have the same result; if named on the command line, also non-blocking, with counts, in parts, and with neighbours; six of them also on the first 2, 4, 8, … ranks",
    measures: "time by size: of the slowest, the median and the fastest rank",
    parameters: "time of each function divided by that of the others; what to use instead of a function that is slower",
    source: "guidelines of Träff, Gropp and Thakur 2010; Hunold and Carpen-Amarie 2018",
    fewest_ranks: 2,
    weight: 3,
    is_standard: true,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::Times, rows: Rows::Series(&["operation", "by"]), shown: |_, _| true },
};

/// Bytes of an element.
const ELEMENT: usize = size_of::<f64>();
/// Sizes in the standard set.
const FEW: [usize; 3] = [8, 1 << 10, 32 << 10];
/// Bytes of all blocks together.
const MOST_BYTES: usize = 16 << 20;

/// A way at a size.
struct Case {
    way: &'static Way,
    /// Elements of a block.
    block: usize,
    /// How many of the ranks make it: the first ones.
    ranks: usize,
}

impl Case {
    fn series(&self, size: usize) -> String {
        let of = self.way.operation;
        if self.ranks < size { teams::series(of, self.ranks) } else { series(of, self.way.by) }
    }

    /// Elements of all blocks; one at least, which a barrier needs if it is made by another function.
    fn elements(&self) -> usize {
        (self.block * self.ranks).max(1)
    }
}

/// What a job of this size measures on all ranks.
fn cases(size: usize, is_named: bool, most: usize) -> Vec<Case> {
    let many = (3..=21).step_by(2).map(|power| 1 << power);
    let sizes: Vec<usize> = if is_named { many.collect() } else { FEW.to_vec() };
    let fits = |bytes: &&usize| **bytes <= most && **bytes * size <= MOST_BYTES;
    let mut found = Vec::new();
    for way in WAYS.iter().filter(|way| way.is_standard || is_named) {
        if way.operation == Operation::Barrier {
            found.push(Case { way, block: 0, ranks: size });
            continue;
        }
        let blocks = sizes.iter().filter(fits).map(|bytes| bytes / ELEMENT);
        let is_possible = |block: &usize| way.divides.is_possible(*block, size);
        found.extend(blocks.filter(is_possible).map(|block| Case { way, block, ranks: size }));
    }
    found
}

fn series(operation: Operation, by: &str) -> String {
    format!("{}/{by}", operation.name())
}

/// The same on the first 2, 4, 8, … ranks, in few sizes, by the operations' own functions.
fn cases_of_teams(size: usize, most: usize) -> Vec<Case> {
    let on = |ranks: usize| {
        let all = cases(ranks, false, most).into_iter();
        all.filter(|case| case.way.by == LIBRARY && is_measured(case.way.operation))
    };
    doubles(2, size).flat_map(on).collect()
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let (mpi, spread, size) = (session.mpi, session.plan.skew, session.size as usize);
    // Orders in which ranks begin are those of all ranks.
    let numbers = if spread.is_zero() { doubles(2, size).collect() } else { Vec::new() };
    let teams = match Teams::new(mpi, &numbers) {
        Ok(teams) => teams,
        // The same on every rank.
        Err(MpiError::Lacks { name }) => {
            if session.rank == 0 {
                session.problem(format!("collectives: this MPI has no {name}: it was left out"));
            }
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let most = session.plan.max_bytes;
    let mut cases = cases(size, session.is_named(), most);
    if !numbers.is_empty() {
        cases.extend(cases_of_teams(size, most));
    }
    let most = cases.iter().map(Case::elements).max().unwrap_or(1);
    let buffers = Buffers::new(most).ok_or(BenchError::Memory { bytes: most * ELEMENT })?;
    let place = |case: &Case| Place { series: case.series(size), x: (case.block * ELEMENT) as u64, moved: 0.0 };
    let places = cases.iter().map(place).collect();
    let mut work = Work { teams, size, cases, buffers };
    windowed(session, places, spread, &mut work)?;
    Ok(work.teams.free()?)
}

struct Work<'a> {
    teams: Teams<'a>,
    /// All ranks.
    size: usize,
    cases: Vec<Case>,
    buffers: Buffers,
}

impl Operations for Work<'_> {
    fn part(&self, at: usize) -> Option<Part<'_>> {
        let ranks = self.cases[at].ranks;
        let comm = self.teams.of(ranks).filter(|_| ranks < self.size)?.comm();
        Some(Part { ranks: ranks as i32, comm })
    }

    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let Case { way, block, .. } = self.cases[at];
        let job = self.teams.of(self.cases[at].ranks).ok_or(BenchError::Protocol { rank: 0 })?;
        let place = job.place();
        self.buffers.fill(place.rank, self.cases[at].elements());
        (way.run)(job, &mut self.buffers, block)?;
        match self.buffers.wrong(way.operation, place, block) {
            None => Ok(()),
            Some(at) => Err(BenchError::WrongElement {
                series: self.cases[at].series(self.size),
                bytes: block * ELEMENT,
                rank: job.calls.rank(),
                at,
            }),
        }
    }

    fn operation(&mut self, at: usize) -> Result<(), BenchError> {
        let Case { way, block, ranks } = self.cases[at];
        let job = self.teams.of(ranks).ok_or(BenchError::Protocol { rank: 0 })?;
        Ok((way.run)(job, &mut self.buffers, block)?)
    }
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let guidelines = WAYS.iter().filter(|way| way.by != LIBRARY).flat_map(|way| guideline(measured, way));
    guidelines.chain(windows::parameters(EXPERIMENT.id, measured)).collect()
}

/// The time of an operation's own function, divided by that of another way.
fn guideline(measured: &Measured, way: &Way) -> Vec<Parameter> {
    let own = Operation::function(way.operation.name());
    let others = way.function();
    let ratio = Ratio {
        experiment: EXPERIMENT.id,
        id: format!("{}_to_{}", way.operation.name(), way.by),
        of: &series(way.operation, LIBRARY),
        by: &series(way.operation, way.by),
        text: format!("time of {own}, divided by that of {others} with the same result"),
    };
    let skew = measured.fact(Scope::All, windows::SKEW).map(mpiscope_units::time_of);
    let skew = skew.map_or(String::new(), |time| format!(", if the ranks begin spread over {time}"));
    ratio.guidelines(measured, |bytes| match bytes {
        0 => format!("{others} instead of {own}{skew}"),
        bytes => format!("{others} instead of {own} at {}{skew}", mpiscope_units::bytes(bytes)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ways::Divides;

    #[test]
    fn sizes_fit_the_job() {
        let sizes = |size, is_named, most| {
            let mut sizes: Vec<usize> = cases(size, is_named, most).iter().map(|case| case.block * ELEMENT).collect();
            sizes.sort_unstable();
            sizes.dedup();
            sizes
        };
        assert_eq!(sizes(4, false, 8 << 20), [0, 8, 1 << 10, 32 << 10]);
        assert_eq!(sizes(4, false, 1 << 10), [0, 8, 1 << 10]);
        assert_eq!(sizes(16, true, 8 << 20).last(), Some(&(512 << 10)));
        assert_eq!(sizes(2, true, 8 << 20).last(), Some(&(2 << 20)));
        // Eight bytes cannot be divided, and no power of two by three.
        let divided =
            |size| cases(size, false, 8 << 20).iter().filter(|case| case.way.divides == Divides::Ranks).count();
        assert_eq!((divided(4), divided(3)), (4, 0));
    }

    #[test]
    fn few_operations_are_made_by_fewer_ranks() {
        let series = |size| {
            let mut series: Vec<String> = cases_of_teams(size, 8 << 20).iter().map(|case| case.series(size)).collect();
            series.dedup();
            series
        };
        assert!(series(2).is_empty() && series(3).iter().all(|name| name.ends_with("/ranks-2")));
        assert_eq!((series(3).len(), series(16).len()), (6, 18));
        let cases = cases_of_teams(16, 8 << 20);
        assert_eq!(cases.len(), 3 * (5 * FEW.len() + 1));
        assert!(cases.iter().all(|case| case.ranks < 16 && case.elements() <= 8 * (32 << 10) / ELEMENT));
    }

    #[test]
    fn a_function_that_is_slower_than_others_is_reported() {
        let mut measured = Measured::default();
        let mut put = |series: &str, bytes: u64, ns: f64| {
            let times = (0..20).map(|at| ns * (1.0 + 0.001 * f64::from(at % 5))).collect();
            measured.times.insert((Scope::All, series.to_owned(), bytes), times);
        };
        put("allreduce/library", 4096, 9000.0);
        put("allreduce/reduce+bcast", 4096, 5000.0);
        put("allgather/library", 4096, 5000.0);
        put("allgather/alltoall", 4096, 4900.0);
        put("barrier/library", 0, 3000.0);
        put("barrier/allreduce", 0, 1000.0);
        put("scan/library", 4096, 8000.0);
        put("scan/split", 4096, 4000.0);
        let found = parameters(&measured);
        let of = |id: &str| found.iter().find(|parameter| parameter.id == id).unwrap();
        let allreduce = of("allreduce_to_reduce+bcast");
        assert!((allreduce.value - 1.8).abs() < 0.01);
        assert_eq!(
            allreduce.advice.as_deref(),
            Some("MPI_Reduce and MPI_Bcast instead of MPI_Allreduce at 4.00 KiB: 1.8 times as fast")
        );
        assert_eq!(of("allgather_to_alltoall").advice, None, "2 % are not worth it");
        assert_eq!(
            of("barrier_to_allreduce").advice.as_deref(),
            Some("MPI_Allreduce instead of MPI_Barrier: 3.0 times as fast")
        );
        assert_eq!(
            of("scan_to_split").advice.as_deref(),
            Some("4 MPI_Scan of a quarter each instead of MPI_Scan at 4.00 KiB: 2.0 times as fast")
        );
        assert_eq!(found.len(), 4);
        measured.facts.insert((Scope::All, windows::SKEW.into()), 50_000.0);
        let found = parameters(&measured);
        let advice = found.iter().find(|parameter| parameter.id == "barrier_to_allreduce").unwrap().advice.as_deref();
        let text = "MPI_Allreduce instead of MPI_Barrier, if the ranks begin spread over 50.0 µs: 3.0 times as fast";
        assert_eq!(advice, Some(text));
    }
}
