//! `contention`: pairs of ranks exchange messages at once, from one pair to all; all ranks exchange as a ring and as a grid.
//!
//! The ranks of the first half exchange with those of the second: under the usual orders of ranks, the messages cross sockets, or the network, in which
//! all pairs share what is between them. Where all pairs at once are as fast as one, there is room for all. In a grid, ranks have neighbours that are far
//! apart in their order: its exchange takes longer than its number of messages says where these share what is between them.
//!
//! Source: Gropp and Lusk, *Programming in MPI for Performance*: contention and bisection.

use std::time::{Duration, Instant};

use mpiscope_machine::Parameter;
use mpiscope_mpi::Rank;

use crate::doubling::doubles;
use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::halo;
use crate::halo::exchange::{Exchange, Step, steps};
use crate::halo::grid::{Grid, Stencil};
use crate::halo::method::Method;
use crate::journal::Measured;
use crate::ratio::Ratio;
use crate::rounds::{Together, together};
use crate::schedule::Place;
use crate::session::Session;
use crate::swap::Swap;

pub const EXPERIMENT: Experiment = Experiment {
    id: "contention",
    what: "pairs of ranks, one of each half of the job, exchange messages: 1, 2, 4, … and all pairs at once, while the other ranks sleep; all ranks with their neighbours in a ring and in a grid",
    measures: "rate of a pair by size and number of pairs: of the slowest, the median and the fastest rank",
    parameters: "time with several pairs divided by that with one; time of a grid's exchange divided by that of a ring's",
    source: "Gropp and Lusk, Programming in MPI for Performance: contention and bisection",
    fewest_ranks: 4,
    weight: 2,
    is_standard: false,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::RatesFrom(4096), rows: Rows::Series(&["at once"]), shown: |_, _| true },
};

const SIZES: [usize; 4] = [8, 8 << 10, 128 << 10, 1 << 20];

/// 1, 2, 4, … and as many as there are.
fn numbers_of_pairs(size: i32) -> Vec<i32> {
    let all = size / 2;
    doubles(1, all as usize).map(|pairs| pairs as i32).chain([all]).collect()
}

/// What all ranks exchange as, and with whom. Both wrap.
const SHAPES: [(&str, Stencil); 2] = [("ring", Stencil::Two), ("grid", Stencil::Four)];

/// The grid of each shape; none if the grid would be the ring.
fn shapes(size: i32) -> Vec<(&'static str, Stencil, Grid)> {
    let found = SHAPES.map(|(name, stencil)| (name, stencil, Grid::of(size, stencil.dimensions(), true)));
    let is_grid = found.iter().all(|(_, _, grid)| grid.dims.iter().all(|&extent| extent > 1));
    if is_grid { found.to_vec() } else { Vec::new() }
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
    let sizes: Vec<usize> = SIZES.into_iter().filter(|&bytes| bytes <= most || bytes == SIZES[0]).collect();
    let numbers = numbers_of_pairs(session.size);
    let cases: Vec<Case> =
        sizes.iter().flat_map(|&bytes| numbers.iter().map(move |&pairs| Case { pairs, bytes })).collect();
    // Each rank of a pair sends and receives.
    let place = |case: &Case| Place { series: case.pairs.to_string(), x: case.bytes as u64, moved: 2.0 };
    let mut places: Vec<Place> = cases.iter().map(place).collect();
    let mine = match partner(session.rank, session.size) {
        None => None,
        Some((peer, pair)) => {
            let most = cases.iter().map(|case| case.bytes).max().unwrap_or(0);
            Some((Swap::new(session.mpi, session.mpi.world(), session.rank, peer, most)?, pair))
        }
    };
    let (world, rank) = (session.mpi.world(), session.rank);
    let shape = |(name, stencil, grid): (_, Stencil, Grid)| (name, grid.messages(stencil), steps(&grid, stencil, rank));
    let shapes: Vec<(&str, f64, Vec<Step>)> = shapes(session.size).into_iter().map(shape).collect();
    let mut exchanges = Vec::new();
    for (name, moved, steps) in &shapes {
        for &bytes in &sizes {
            places.push(Place { series: (*name).to_owned(), x: bytes as u64, moved: *moved });
            exchanges.push(Exchange::new(session.mpi, (world, rank), steps, Method::IsendIrecv, bytes));
        }
    }
    let shapes = halo::Work::new(session.mpi, exchanges, &places[cases.len()..])?;
    let mut work = Work { cases, mine, shapes };
    together(session, places, &mut work)?;
    work.shapes.free()
}

struct Work<'a> {
    cases: Vec<Case>,
    /// This rank's pair and its number.
    mine: Option<(Swap<'a>, i32)>,
    /// Exchanges of all ranks: the places after the cases.
    shapes: halo::Work<'a>,
}

impl<'a> Work<'a> {
    /// The pair of this rank, if it takes part.
    fn taking_part(&mut self, case: Case) -> Option<&mut Swap<'a>> {
        self.mine.as_mut().filter(|(_, pair)| *pair < case.pairs).map(|(swap, _)| swap)
    }
}

impl Together for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let Some(&case) = self.cases.get(at) else { return self.shapes.verify(at - self.cases.len()) };
        let Some(swap) = self.taking_part(case) else { return Ok(()) };
        swap.buffers.prepare(at as u32, case.bytes);
        swap.swap(case.bytes)?;
        swap.buffers.check(at as u32, case.bytes, "exchange of pairs")
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        let Some(&case) = self.cases.get(at) else { return self.shapes.batch(at - self.cases.len(), operations) };
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
    let grid_to_ring = Ratio {
        experiment: EXPERIMENT.id,
        id: "grid_to_ring".into(),
        of: SHAPES[1].0,
        by: SHAPES[0].0,
        text: "time of an exchange of all ranks with four neighbours in a grid, divided by that with two in a ring: twice the messages".into(),
    };
    let of_pairs = numbers.into_iter().filter(|&pairs| pairs > 1).flat_map(of_pairs);
    of_pairs.chain(grid_to_ring.parameters(measured)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::Scope;

    #[test]
    fn a_prime_number_of_ranks_is_only_a_ring() {
        let dims = |size| shapes(size).into_iter().map(|(name, _, grid)| (name, grid.dims)).collect::<Vec<_>>();
        assert_eq!(dims(12), [("ring", vec![12]), ("grid", vec![4, 3])]);
        assert_eq!(dims(7), []);
    }

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
