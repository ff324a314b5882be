//! `contention`: pairs of ranks exchange messages at once, from one pair to all.
//!
//! The ranks of the first half exchange with those of the second: under the usual orders of ranks, the messages cross sockets, or the network, in which
//! all pairs share what is between them. Where all pairs at once are as fast as one, there is room for all.
//!
//! Source: Gropp and Lusk, *Programming in MPI for Performance*: contention and bisection.

use std::time::{Duration, Instant};

use mpiscope_machine::Parameter;
use mpiscope_mpi::Rank;

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::journal::Measured;
use crate::ratio::Ratio;
use crate::rounds::{Together, together};
use crate::schedule::Place;
use crate::session::Session;
use crate::swap::Swap;

pub const EXPERIMENT: Experiment = Experiment {
    id: "contention",
    what: "pairs of ranks, one of each half of the job, exchange messages: 1, 2, 4, … and all pairs at once, while the other ranks sleep",
    measures: "rate of a pair by size and number of pairs: of the slowest, the median and the fastest rank",
    parameters: "time with several pairs divided by that with one",
    source: "Gropp and Lusk, Programming in MPI for Performance: contention and bisection",
    fewest_ranks: 4,
    weight: 2,
    is_standard: false,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::RatesFrom(4096), rows: Rows::Series(&["pairs"]), shown: |_, _| true },
};

const SIZES: [usize; 4] = [8, 8 << 10, 128 << 10, 1 << 20];

/// 1, 2, 4, … and as many as there are.
fn numbers_of_pairs(size: i32) -> Vec<i32> {
    let all = size / 2;
    let powers = (0..31).map(|power| 1 << power).take_while(|&pairs| pairs < all);
    powers.chain([all]).collect()
}

/// The other rank of the pair, and the pair's number; a last rank of an odd number has none.
fn partner(rank: Rank, size: i32) -> Option<(Rank, i32)> {
    let half = size / 2;
    match rank {
        rank if rank < half => Some((rank + half, rank)),
        rank if rank < 2 * half => Some((rank - half, rank - half)),
        _ => None,
    }
}

/// A place.
#[derive(Clone, Copy)]
struct Case {
    pairs: i32,
    bytes: usize,
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let most = session.plan.max_bytes;
    // The smallest size is always there.
    let sizes = SIZES.into_iter().filter(|&bytes| bytes <= most || bytes == SIZES[0]);
    let numbers = numbers_of_pairs(session.size);
    let cases: Vec<Case> = sizes.flat_map(|bytes| numbers.iter().map(move |&pairs| Case { pairs, bytes })).collect();
    // Each rank of a pair sends and receives.
    let place = |case: &Case| Place { series: case.pairs.to_string(), x: case.bytes as u64, moved: 2.0 };
    let places = cases.iter().map(place).collect();
    let mine = match partner(session.rank, session.size) {
        None => None,
        Some((peer, pair)) => {
            let most = cases.iter().map(|case| case.bytes).max().unwrap_or(0);
            Some((Swap::new(session.mpi, session.mpi.world(), session.rank, peer, most)?, pair))
        }
    };
    together(session, places, &mut Work { cases, mine })
}

struct Work<'a> {
    cases: Vec<Case>,
    /// This rank's pair and its number.
    mine: Option<(Swap<'a>, i32)>,
}

impl<'a> Work<'a> {
    /// The pair of this rank, if it takes part.
    fn taking_part(&mut self, case: Case) -> Option<&mut Swap<'a>> {
        self.mine.as_mut().filter(|(_, pair)| *pair < case.pairs).map(|(swap, _)| swap)
    }
}

impl Together for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let case = self.cases[at];
        let Some(swap) = self.taking_part(case) else { return Ok(()) };
        swap.prepare(at as u32, case.bytes);
        swap.swap(case.bytes)?;
        swap.check(at as u32, case.bytes, "exchange of pairs")
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        let case = self.cases[at];
        let Some(swap) = self.taking_part(case) else { return Ok(None) };
        let begun = Instant::now();
        (0..operations).try_for_each(|_| swap.swap(case.bytes))?;
        Ok(Some(begun.elapsed()))
    }
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let mut numbers: Vec<i32> = measured.times.keys().filter_map(|(_, series, _)| series.parse().ok()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let of_pairs = |pairs: i32| {
        let ratio = Ratio {
            experiment: EXPERIMENT.id,
            id: format!("pairs_{pairs}_to_1"),
            of: &pairs.to_string(),
            by: "1",
            text: format!("time of an exchange of {pairs} pairs at once, divided by that of one pair"),
        };
        ratio.parameters(measured)
    };
    numbers.into_iter().filter(|&pairs| pairs > 1).flat_map(of_pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::Scope;

    #[test]
    fn pairs_cross_the_middle() {
        assert_eq!(numbers_of_pairs(16), [1, 2, 4, 8]);
        assert_eq!(numbers_of_pairs(14), [1, 2, 4, 7]);
        assert_eq!(numbers_of_pairs(4), [1, 2]);
        for size in 2..20 {
            for rank in 0..size {
                let Some((peer, pair)) = partner(rank, size) else {
                    assert_eq!((size % 2, rank), (1, size - 1));
                    continue;
                };
                assert_eq!(partner(peer, size), Some((rank, pair)));
                assert!((rank < size / 2) != (peer < size / 2) && (0..size / 2).contains(&pair));
            }
        }
    }

    #[test]
    fn more_pairs_are_compared_with_one() {
        let mut measured = Measured::default();
        for (pairs, ns) in [("1", 100.0), ("2", 100.0), ("10", 250.0)] {
            measured.times.insert((Scope::All, pairs.into(), 8192), vec![ns; 9]);
        }
        let found = parameters(&measured);
        let values: Vec<(&str, f64)> = found.iter().map(|p| (p.id.as_str(), p.value)).collect();
        assert_eq!(values, [("pairs_2_to_1", 1.0), ("pairs_10_to_1", 2.5)]);
    }
}
