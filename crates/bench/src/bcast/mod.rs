//! `bcast`: `MPI_Bcast` against trees, chains and pipelines of messages between two ranks, and many broadcasts in sequence.
//!
//! A broadcast of *n* bytes by a binomial tree takes as long as log *p* messages. In a sequence of *m* broadcasts, a chain in which each rank
//! receives from the one before and sends to the next is never idle: *m* + *p* messages in place of *m* · log *p*.
//! All ranks begin each operation at the same moment.
//!
//! Source: Gropp and Lusk, *Programming in MPI for Performance*: pipelining over steps; Thakur, Rabenseifner and Gropp, *Optimization of
//! Collective Communication Operations in MPICH* (2005).

mod ways;

use std::time::Duration;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_statistics::{median, sorted};

use crate::buffers::{buffer, pattern};
use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::journal::Measured;
use crate::ratio::Ratio;
use crate::schedule::Place;
use crate::session::Session;
use crate::windows::{self, Operations, windowed};
use ways::{Caster, ROOT, WAYS, Way};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bcast",
    what: "a broadcast by MPI_Bcast, and by messages in a binomial tree, a chain, a pipeline of segments, and a scatter with a ring; 16 of them in sequence, also as one pipeline",
    measures: "time by size: of the slowest, the median and the fastest rank",
    parameters: "time of MPI_Bcast divided by that of the others; from which size each is faster than the tree; what to use instead",
    source: "Gropp and Lusk, Programming in MPI for Performance: pipelining; Thakur, Rabenseifner and Gropp 2005",
    fewest_ranks: 2,
    weight: 2,
    is_standard: false,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::Times, rows: Rows::Series(&["broadcasts", "by"]), shown: |_, _| true },
};

const SIZES: [usize; 7] = [8, 1 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20];
/// Broadcasts of a sequence.
const SEQUENCE: usize = 16;
/// Bytes of all broadcasts of a sequence.
const MOST_IN_SEQUENCE: usize = 2 << 20;
/// In a sequence; the chain is a pipeline over the steps.
const IN_SEQUENCE: [Way; 3] = [Way::Library, Way::Binomial, Way::Chain];
const PREDICTED: &str = "predicted_sequence";

/// A place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Case {
    way: Way,
    count: usize,
    bytes: usize,
}

fn series(count: usize, way: Way) -> String {
    format!("{count}/{}", way.name())
}

fn cases(most: usize) -> Vec<Case> {
    let mut sizes: Vec<usize> = SIZES.into_iter().filter(|&bytes| bytes <= most).collect();
    if sizes.is_empty() {
        sizes.push(most);
    }
    let mut found = Vec::new();
    for bytes in sizes {
        found.extend(WAYS.into_iter().filter(|way| way.is_for(bytes)).map(|way| Case { way, count: 1, bytes }));
        if bytes * SEQUENCE <= MOST_IN_SEQUENCE {
            found.extend(IN_SEQUENCE.map(|way| Case { way, count: SEQUENCE, bytes }));
        }
    }
    found
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let cases = cases(session.plan.max_bytes);
    let place = |case: &Case| Place { series: series(case.count, case.way), x: case.bytes as u64, moved: 0.0 };
    let places = cases.iter().map(place).collect();
    let most = cases.iter().map(|case| case.count * case.bytes).max().unwrap_or(0);
    let (mpi, rank) = (session.mpi, session.rank);
    if rank == 0 {
        session.fact(Scope::All, PREDICTED, predicted(session.size as u32));
    }
    let caster = Caster::new(mpi, rank, session.size, most);
    windowed(session, places, Duration::ZERO, &mut Work { rank, caster, cases, data: buffer(most)? })
}

/// Messages in sequence by a tree, divided by those by a chain: each rank makes one at a time.
fn predicted(ranks: u32) -> f64 {
    let (steps, count) = (ranks.next_power_of_two().trailing_zeros(), SEQUENCE as u32);
    f64::from(count * steps) / f64::from(count + ranks - 2)
}

struct Work<'a> {
    rank: i32,
    caster: Caster<'a>,
    cases: Vec<Case>,
    data: Vec<u8>,
}

impl Work<'_> {
    fn broadcast(&mut self, Case { way, count, bytes }: Case) -> Result<(), BenchError> {
        if bytes == 0 {
            return (0..count).try_for_each(|_| self.caster.bcast(way, &mut []));
        }
        self.data[..count * bytes].chunks_exact_mut(bytes).try_for_each(|data| self.caster.bcast(way, data))
    }
}

impl Operations for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let case = self.cases[at];
        let all = case.count * case.bytes;
        let is_root = self.rank == ROOT;
        let sent = |of: usize| pattern(at as u32, of);
        let data = self.data[..all].iter_mut().enumerate();
        data.for_each(|(of, byte)| *byte = if is_root { sent(of) } else { !sent(of) });
        self.broadcast(case)?;
        match (0..all).position(|of| self.data[of] != sent(of)) {
            None => Ok(()),
            Some(wrong) => Err(BenchError::WrongBytes {
                series: format!("bcast, {}", series(case.count, case.way)),
                bytes: case.bytes,
                from: ROOT,
                to: self.rank,
                at: wrong as u64,
            }),
        }
    }

    fn operation(&mut self, at: usize) -> Result<(), BenchError> {
        self.broadcast(self.cases[at])
    }
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let mut found = Vec::new();
    for way in WAYS.into_iter().filter(|way| *way != Way::Library) {
        let ratio = Ratio {
            experiment: EXPERIMENT.id,
            id: format!("library_to_{}", way.name()),
            of: &series(1, Way::Library),
            by: &series(1, way),
            text: format!("time of MPI_Bcast divided by that of {}", way.text()),
        };
        found.extend(ratio.guidelines(measured, |bytes| {
            format!("{} instead of MPI_Bcast at {}", way.text(), mpiscope_units::bytes(bytes))
        }));
    }
    for way in WAYS.into_iter().filter(|way| *way != Way::Binomial) {
        found.extend(crossover(measured, way));
    }
    for way in IN_SEQUENCE.into_iter().filter(|way| *way != Way::Chain) {
        let ratio = Ratio {
            experiment: EXPERIMENT.id,
            id: format!("sequence_{}_to_chain", way.name()),
            of: &series(SEQUENCE, way),
            by: &series(SEQUENCE, Way::Chain),
            text: format!(
                "time of {SEQUENCE} broadcasts in sequence, each by {}, divided by that of a pipeline of them along a chain",
                way.text()
            ),
        };
        found.extend(match way {
            Way::Library => ratio.guidelines(measured, |bytes| {
                let size = mpiscope_units::bytes(bytes);
                format!("a pipeline along a chain instead of a sequence of {SEQUENCE} MPI_Bcast at {size}")
            }),
            _ => ratio.parameters(measured),
        });
    }
    found.extend(measured.fact(Scope::All, PREDICTED).map(|value| Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id: PREDICTED.to_owned(),
        unit: "x".into(),
        value,
        text:
            "sequence_binomial_to_chain in a model in which all messages take as long and every rank has a core".into(),
        ..Parameter::default()
    }));
    found.extend(windows::parameters(EXPERIMENT.id, measured));
    found
}

/// The smallest size from which a way is faster than the tree, also at all larger sizes; `None` if there is no such size.
fn crossover(measured: &Measured, way: Way) -> Option<Parameter> {
    let time = |way: Way, bytes: u64| {
        let times = measured.times_at(Scope::All, &series(1, way), bytes)?;
        Some(median(&sorted(times)))
    };
    let of = series(1, Way::Binomial);
    let sizes: Vec<u64> =
        measured.times_of(Scope::All).filter(|(series, ..)| *series == of).map(|(_, bytes, _)| bytes).collect();
    let is_faster =
        |bytes: &&u64| time(way, **bytes).zip(time(Way::Binomial, **bytes)).is_some_and(|(own, tree)| own < tree);
    let first = *sizes.iter().rev().take_while(is_faster).last()?;
    Some(Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id: format!("crossover_{}", way.name()),
        text: format!("size from which {} is faster than {}", way.text(), Way::Binomial.text()),
        ..measured.parameter(Scope::All, "B", first as f64, None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_limited() {
        let all = cases(8 << 20);
        assert!(all.iter().all(|case| case.count * case.bytes <= 2 << 20));
        assert_eq!(all.iter().filter(|case| case.count == SEQUENCE).map(|case| case.bytes).max(), Some(128 << 10));
        assert!(cases(100).iter().all(|case| case.bytes == 8));
        assert!(cases(3).iter().all(|case| case.bytes == 3) && !cases(3).is_empty());
    }

    #[test]
    fn a_pipeline_over_steps_is_predicted_to_win() {
        assert_eq!(predicted(2), 1.0);
        assert_eq!(predicted(16), 64.0 / 30.0);
    }

    #[test]
    fn crossovers_and_slow_libraries_are_found() {
        let mut measured = Measured::default();
        let mut put = |count: usize, way: Way, bytes: u64, ns: f64| {
            measured.times.insert((Scope::All, series(count, way), bytes), vec![ns; 9]);
        };
        for (bytes, tree, ring, library) in [
            (8, 100.0, 90.0, 100.0),
            (1024, 200.0, 300.0, 200.0),
            (8192, 800.0, 700.0, 800.0),
            (32768, 3000.0, 1500.0, 3000.0),
        ] {
            put(1, Way::Binomial, bytes, tree);
            put(1, Way::ScatterAllgather, bytes, ring);
            put(1, Way::Library, bytes, library);
        }
        put(SEQUENCE, Way::Library, 8, 2000.0);
        put(SEQUENCE, Way::Chain, 8, 1000.0);
        let found = parameters(&measured);
        let of = |id: &str, bytes| found.iter().find(|p| p.id == id && p.from_bytes == bytes).unwrap();
        assert_eq!(of("crossover_scatter+allgather", None).value, 8192.0);
        assert!(found.iter().all(|p| p.id != "crossover_library"));
        assert_eq!(
            of("library_to_scatter+allgather", Some(32768)).advice.as_deref(),
            Some("a scatter and a ring of messages instead of MPI_Bcast at 32.0 KiB: 2.0 times as fast")
        );
        assert_eq!(of("library_to_binomial", Some(8)).advice, None);
        assert!(of("sequence_library_to_chain", Some(8)).advice.is_some());
    }
}
