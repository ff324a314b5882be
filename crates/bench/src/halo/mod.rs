//! `halo`: every rank of a grid exchanges messages with its neighbours.
//!
//! Which method is the fastest depends on the MPI, the size, the neighbours and the communicator, and the edges of a grid that does not wrap
//! have less to do. All are measured in turn, in one job, so that they can be compared.
//!
//! Source: Gropp and Lusk, *Programming in MPI for Performance*: "mesh exchange".

pub mod exchange;
pub mod grid;
pub mod method;
mod onesided;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::{Comm, Mpi, Rank};
use mpiscope_statistics::{median, median_interval, sorted};

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::journal::Measured;
use crate::one_sided;
use crate::partitioned;
use crate::rounds::{Together, together};
use crate::schedule::Place;
use crate::session::Session;
use exchange::{Buffers, Exchange, Step, Watch, partners, steps};
use grid::{Grid, STENCILS, Stencil};
use method::{METHODS, MORE_METHODS, Method};
use onesided::{MOST_ROOM, Windows, room};

pub const EXPERIMENT: Experiment = Experiment {
    id: "halo",
    what: "every rank of a grid exchanges messages with its 4, 8, 6 or 26 neighbours, by each method; if named on the command line, also by MPI 4 and one-sided methods, on each communicator, with and without periodic boundaries",
    measures: "time and rate by size: of the slowest, the median and the fastest rank",
    parameters: "for each number of neighbours, the highest rate and its method",
    source: "Gropp and Lusk, Programming in MPI for Performance: mesh exchange",
    fewest_ranks: 2,
    weight: 3,
    is_standard: true,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table {
        numbers: Numbers::Rates,
        rows: Rows::Series(&["neighbours", "method", "communicator", "edges"]),
        shown: |_, _| true,
    },
};

/// Sizes in the standard set, and if the experiment is named.
const FEW: [usize; 2] = [1 << 10, 64 << 10];
const MANY: [usize; 4] = [64, 1 << 10, 16 << 10, 256 << 10];

/// On which communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    World,
    Dup,
    /// `MPI_Cart_create` with reorder.
    Cart,
    /// `MPI_Dist_graph_create_adjacent` with the neighbours of the exchange.
    DistGraph,
    /// Two halves, each with a grid of its own: the even ranks and the odd ones.
    EvenOdd,
}

impl Group {
    fn name(self) -> &'static str {
        match self {
            Group::World => "world",
            Group::Dup => "dup",
            Group::Cart => "cart",
            Group::DistGraph => "dist-graph",
            Group::EvenOdd => "even-odd",
        }
    }

    /// Ranks in the communicator of this rank.
    fn ranks(self, size: i32, rank: Rank) -> i32 {
        match self {
            Group::EvenOdd => (size + 1 - rank % 2) / 2,
            _ => size,
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    stencil: Stencil,
    method: Method,
    group: Group,
    is_periodic: bool,
}

impl Case {
    fn series(self) -> String {
        let edges = if self.is_periodic { "periodic" } else { "open" };
        format!("{}/{}/{}/{edges}", self.stencil.name(), self.method.name(), self.group.name())
    }
}

/// The cases that have messages in a job of this size. Methods are compared on one communicator, communicators with two methods.
fn cases(size: i32, is_named: bool) -> Vec<Case> {
    let mut found = Vec::new();
    for stencil in STENCILS {
        for (method, is_periodic) in METHODS.into_iter().flat_map(|method| [(method, true), (method, false)]) {
            if is_periodic || is_named {
                found.push(Case { stencil, method, group: Group::World, is_periodic });
            }
        }
        for method in MORE_METHODS.into_iter().filter(|_| is_named) {
            found.push(Case { stencil, method, group: Group::World, is_periodic: true });
        }
        // `neighbor-alltoallv` on `world` has such a graph, too.
        for is_periodic in [true, false].into_iter().filter(|_| is_named) {
            found.push(Case { stencil, method: Method::IsendIrecv, group: Group::DistGraph, is_periodic });
        }
        for group in [Group::Dup, Group::Cart, Group::EvenOdd] {
            for method in [Method::IsendIrecv, Method::NeighborAlltoallv] {
                for is_periodic in [true, false] {
                    let is_standard = stencil == Stencil::Four && method == Method::IsendIrecv && is_periodic;
                    if is_named || is_standard {
                        found.push(Case { stencil, method, group, is_periodic });
                    }
                }
            }
        }
    }
    // Rank 0 records the times, so it has to have messages.
    found.retain(|case| grid_of(*case, size, 0).messages_of(0, case.stencil) > 0);
    found
}

fn grid_of(case: Case, size: i32, rank: Rank) -> Grid {
    Grid::of(case.group.ranks(size, rank), case.stencil.dimensions(), case.is_periodic)
}

/// Sizes of messages: those up to the largest that is allowed, or that one.
pub fn sizes(is_named: bool, most: usize) -> Vec<usize> {
    let all: &[usize] = if is_named { &MANY } else { &FEW };
    let found: Vec<usize> = all.iter().copied().filter(|&bytes| bytes <= most).collect();
    if found.is_empty() { vec![most] } else { found }
}

/// Why a method is left out of this job; `None` if it is possible. The same on every rank.
fn left_out(session: &Session, method: Method) -> Result<Option<String>, BenchError> {
    let is_on_several_hosts = || session.places.iter().any(|of| of.host != session.places[0].host);
    let why = match session.mpi.missing(method.functions()) {
        Some(name) => Some(format!("this MPI has no {name}")),
        None if method == Method::Partitioned => partitioned::lack(session.mpi)?,
        None if method == Method::SharedLoad && is_on_several_hosts() => {
            Some("the ranks are on several hosts".to_owned())
        }
        None => None,
    };
    Ok(why.map(|why| format!("halo: {why}: {} was left out", method.name())))
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let is_named = session.is_named();
    let mut cases = cases(session.size, is_named);
    for method in MORE_METHODS.into_iter().filter(|_| is_named) {
        if let Some(problem) = left_out(session, method)? {
            cases.retain(|case| case.method != method);
            if session.rank == 0 {
                session.problem(problem);
            }
        }
    }
    if cases.iter().any(|case| case.method.needs_window())
        && let Some(problem) = one_sided::problem(session)?
    {
        cases.retain(|case| !case.method.needs_window());
        if session.rank == 0 {
            session.problem(format!("{problem}: methods with windows were left out"));
        }
    }
    let sizes = sizes(is_named, session.plan.max_bytes);
    let methods: Vec<Method> = cases.iter().map(|case| case.method).collect();
    let windows = Windows::new(session.mpi, &methods, MOST_ROOM)?;
    let mut comms = Comms::new(session.mpi.world(), session.size, session.rank);
    let mut of_cases: Vec<(Comm, Rank, Vec<Step>)> = Vec::new();
    for &case in &cases {
        of_cases.push(comms.comm_of(case)?);
    }
    let mut places = Vec::new();
    let mut exchanges = Vec::new();
    for (case, (comm, rank, steps)) in cases.iter().zip(&of_cases) {
        let fits = |bytes: &&usize| !case.method.needs_window() || room(steps.len(), **bytes) <= MOST_ROOM;
        for &bytes in sizes.iter().filter(fits) {
            let moved = grid_of(*case, session.size, 0).messages(case.stencil);
            places.push(Place { series: case.series(), x: bytes as u64, moved });
            let exchange = Exchange::new(session.mpi, (*comm, *rank), steps, case.method, bytes);
            exchanges.push(exchange.with_window(windows.access(case.method)));
        }
    }
    let mut work = Work::new(session.mpi, exchanges, &places)?;
    together(session, places, &mut work)?;
    work.free()?;
    comms.free()?;
    Ok(windows.free()?)
}

/// The communicators, each made once, by all ranks in the same order.
struct Comms<'a> {
    world: Comm<'a>,
    size: i32,
    rank: Rank,
    made: BTreeMap<(Group, Vec<i32>, bool, Option<Stencil>), Comm<'a>>,
}

impl<'a> Comms<'a> {
    fn new(world: Comm<'a>, size: i32, rank: Rank) -> Comms<'a> {
        Comms { world, size, rank, made: BTreeMap::new() }
    }

    /// The communicator of a case, this rank in it, and its steps.
    fn comm_of(&mut self, case: Case) -> Result<(Comm<'a>, Rank, Vec<Step>), BenchError> {
        let grid = grid_of(case, self.size, self.rank);
        let world = self.world;
        let group = match case.group {
            Group::World | Group::DistGraph => world,
            Group::Dup => self.made((Group::Dup, Vec::new(), false, None), || world.dup())?,
            Group::EvenOdd => {
                let color = self.rank % 2;
                self.made((Group::EvenOdd, Vec::new(), false, None), || world.split(color, 0))?
            }
            Group::Cart => self.made((Group::Cart, grid.dims.clone(), case.is_periodic, None), || {
                world.cart(&grid.dims, case.is_periodic)
            })?,
        };
        let rank = group.rank()?;
        let steps = steps(&grid, case.stencil, rank);
        if !case.method.needs_graph() && case.group != Group::DistGraph {
            return Ok((group, rank, steps));
        }
        let (sources, destinations) = partners(&steps);
        let key = (case.group, grid.dims, case.is_periodic, Some(case.stencil));
        let made = self.made(key, || {
            if case.group != Group::Cart {
                return group.graph(&sources, &destinations);
            }
            // Open MPI 5 takes the graph of a Cartesian communicator for a grid, too, and reads the counts of all neighbours in it.
            let plain = group.split(0, 0)?;
            let graph = plain.graph(&sources, &destinations)?;
            plain.free()?;
            Ok(graph)
        })?;
        Ok((made, rank, steps))
    }

    fn made(
        &mut self,
        key: (Group, Vec<i32>, bool, Option<Stencil>),
        make: impl FnOnce() -> Result<Comm<'a>, mpiscope_mpi::MpiError>,
    ) -> Result<Comm<'a>, BenchError> {
        if let Some(&found) = self.made.get(&key) {
            return Ok(found);
        }
        let comm = make()?;
        self.made.insert(key, comm);
        Ok(comm)
    }

    fn free(self) -> Result<(), BenchError> {
        for comm in self.made.into_values() {
            comm.free()?;
        }
        Ok(())
    }
}

/// Exchanges with the buffers that they share.
pub struct Work<'a> {
    exchanges: Vec<Exchange<'a>>,
    series: Vec<String>,
    buffers: Buffers,
}

impl<'a> Work<'a> {
    /// An exchange for each place.
    pub fn new(mpi: &Mpi, exchanges: Vec<Exchange<'a>>, places: &[Place]) -> Result<Work<'a>, BenchError> {
        let most = exchanges.iter().map(|exchange| exchange.bytes).max().unwrap_or(0);
        let steps = exchanges.iter().map(Exchange::steps).max().unwrap_or(0);
        let series = places.iter().map(|place| place.series.clone()).collect();
        Ok(Work { exchanges, series, buffers: Buffers::new(mpi, steps, most)? })
    }

    /// One exchange of a place that was verified, while its sends are watched.
    pub fn watched(&mut self, at: usize, watch: &mut impl Watch) -> Result<(), BenchError> {
        let exchange = &mut self.exchanges[at];
        if exchange.is_idle() {
            return Ok(());
        }
        exchange.begin()?;
        exchange.exchange_watched(&mut self.buffers, watch)?;
        exchange.end()
    }

    pub fn free(mut self) -> Result<(), BenchError> {
        self.exchanges.iter_mut().try_for_each(Exchange::free)
    }
}

impl Together for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let (exchange, buffers) = (&mut self.exchanges[at], &mut self.buffers);
        // SAFETY: the buffers live as long as this, which frees the requests first; they are never made larger.
        unsafe { exchange.prepare(buffers) }?;
        exchange.fill(buffers, at as u32)?;
        if !exchange.is_idle() {
            exchange.begin()?;
            exchange.exchange(buffers)?;
            exchange.end()?;
        }
        exchange.check(buffers, at as u32, &self.series[at])
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        let (exchange, buffers) = (&mut self.exchanges[at], &mut self.buffers);
        if exchange.is_idle() {
            return Ok(None);
        }
        exchange.begin()?;
        let begun = Instant::now();
        for _ in 0..operations {
            exchange.exchange(buffers)?;
        }
        let time = begun.elapsed();
        exchange.end()?;
        Ok(Some(time))
    }
}

/// The highest rate for each number of neighbours.
fn parameters(measured: &Measured) -> Vec<Parameter> {
    let of_stencil = |stencil: Stencil| {
        let prefix = format!("{}/", stencil.name());
        let best =
            measured.times.iter().filter(|((_, series, _), times)| series.starts_with(&prefix) && !times.is_empty());
        let rate = |((_, series, bytes), times): (&(Scope, String, u64), &Vec<f64>)| {
            let moved = *bytes as f64 * measured.moved.get(series).copied().unwrap_or(0.0) * 1e9;
            let times = sorted(times);
            let interval = median_interval(&times).map(|(low, high)| (moved / high, moved / low));
            (moved / median(&times), interval, series.clone(), *bytes)
        };
        let (value, interval, series, bytes) = best.map(rate).max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Parameter {
            experiment: EXPERIMENT.id.to_owned(),
            id: format!("rate_{}", stencil.name()),
            scope: Scope::All,
            unit: "B/s".into(),
            value,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            from_bytes: Some(bytes),
            to_bytes: Some(bytes),
            disturbed: measured.disturbed.contains(&Scope::All),
            text: format!("highest rate of the average rank: {}", series[prefix.len()..].replace('/', ", ")),
            advice: None,
        })
    };
    STENCILS.into_iter().filter_map(of_stencil).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_set_is_small() {
        assert_eq!(cases(16, false).len(), 4 * 6 + 3);
        assert_eq!(cases(16, true).len(), 4 * (12 + 11 + 2 + 12));
        // Halves of two ranks have one rank each: nothing to exchange.
        assert!(cases(2, true).iter().all(|case| case.group != Group::EvenOdd));
        // Half of three: the even ranks have a neighbour, the odd one sleeps.
        assert_eq!((Group::EvenOdd.ranks(3, 0), Group::EvenOdd.ranks(3, 1)), (2, 1));
        assert!(cases(3, true).iter().any(|case| case.group == Group::EvenOdd));
        let series: std::collections::BTreeSet<String> = cases(16, true).into_iter().map(Case::series).collect();
        assert_eq!(series.len(), 148);
    }

    #[test]
    fn sizes_are_limited() {
        assert_eq!(sizes(false, 8 << 20), FEW);
        assert_eq!(sizes(true, 16 << 10), [64, 1 << 10, 16 << 10]);
        assert_eq!(sizes(true, 7), [7]);
    }

    #[test]
    fn the_fastest_method_is_named() {
        let mut measured = Measured::default();
        for (series, ns) in [("4/sendrecv/world/periodic", 4000.0), ("4/phased/world/periodic", 2000.0)] {
            measured.moved.insert(series.into(), 4.0);
            measured.times.insert((Scope::All, series.into(), 1000), vec![ns; 9]);
        }
        let [found] = &parameters(&measured)[..] else { panic!() };
        assert_eq!((found.id.as_str(), found.value, found.low), ("rate_4", 2e9, Some(2e9)));
        assert_eq!(found.text, "highest rate of the average rank: phased, world, periodic");
    }
}
