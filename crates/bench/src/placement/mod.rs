//! `placement`: the same halo under different orders of the ranks.
//!
//! Where ranks are at different distances from each other, the order in which they are placed decides how many neighbours of a grid are close. A
//! communicator with the ranks in another order is enough to find out which order is the best: no second job is necessary. The grid does not wrap,
//! as most decompositions of a domain.
//!
//! Source: the rank orders of Cray MPICH (`MPICH_RANK_REORDER_METHOD`): round robin, SMP style, folded, custom.

mod orders;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::{Comm, Rank};
use mpiscope_run::{CpuPlace, Hosts, PeerClass};
use serde::{Deserialize, Serialize};

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::halo::exchange::{Exchange, Step, steps};
use crate::halo::grid::{Grid, Stencil};
use crate::halo::method::Method;
use crate::halo::{Work, sizes};
use crate::journal::Measured;
use crate::ratio::Ratio;
use crate::rounds::together;
use crate::schedule::Place;
use crate::session::Session;
use orders::{Order, Ordered, is_order, orders, parts};

pub const EXPERIMENT: Experiment = Experiment {
    id: "placement",
    what: "the halo exchange of a line, a square and a cube of ranks that does not wrap, with the ranks by slot, by node, folded, reversed, in the launcher's order and in that of --order",
    measures: "time and rate by size: of the slowest, the median and the fastest rank",
    parameters: "time in the launcher's order divided by that in each other one, the messages between hosts that an order causes, and which order to use instead",
    source: "rank orders of Cray MPICH (MPICH_RANK_REORDER_METHOD)",
    fewest_ranks: 3,
    weight: 2,
    is_standard: false,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::Rates, rows: Rows::Series(&["neighbours", "order"]), shown: |_, _| true },
};

/// A line, a square, a cube.
const STENCILS: [Stencil; 3] = [Stencil::Two, Stencil::Four, Stencil::Six];
/// The fact that has the place of the launcher's order in [`Order::ALL`], or of the first one that is the same.
const LAUNCHED: &str = "launched";

/// Whether a job of this size has these ranks, each once.
///
/// # Errors
///
/// [`BenchError::Order`] if not.
pub fn check_order(order: &[Rank], ranks: i32) -> Result<(), BenchError> {
    if is_order(order, ranks) {
        return Ok(());
    }
    let given = order.iter().map(Rank::to_string).collect::<Vec<_>>().join(",");
    Err(BenchError::Order { given, ranks })
}

/// What rank 0 has found out about the ranks of the job.
#[derive(Serialize, Deserialize)]
struct Found {
    /// The ranks in each order that is measured; the first number is a place in [`Order::ALL`].
    orders: Vec<(usize, Vec<Rank>)>,
    parts: Vec<Vec<Rank>>,
    /// The place of the one that is the launcher's.
    launched: usize,
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let mut problems = Vec::new();
    let found: Option<Found> = session.share(|session| find(session, &mut problems))?;
    problems.into_iter().for_each(|text| session.problem(text));
    let Some(Found { orders, parts, launched }) = found else { return Ok(()) };
    let grids: Vec<(Stencil, Grid)> = grids(session.size);
    let sizes = sizes(true, session.plan.max_bytes);
    let mut of_cases: Vec<(String, f64, Comm, Rank, Vec<Step>)> = Vec::new();
    let mut comms = Vec::new();
    for (number, ranks) in &orders {
        let Some(own) = ranks.iter().position(|&rank| rank == session.rank) else {
            return Err(BenchError::Protocol { rank: 0 });
        };
        let comm = session.mpi.world().split(0, own as i32)?;
        comms.push(comm);
        let order = Order::ALL.get(*number).ok_or(BenchError::Protocol { rank: 0 })?;
        for (stencil, grid) in &grids {
            let own = comm.rank()?;
            of_cases.push((series(*stencil, *order), grid.messages(*stencil), comm, own, steps(grid, *stencil, own)));
            if session.rank == 0 {
                let most = crossing(grid, *stencil, ranks, &parts);
                session.fact(Scope::All, &crossing_id(*stencil, *order), most as f64);
            }
        }
    }
    if session.rank == 0 {
        session.fact(Scope::All, LAUNCHED, launched as f64);
    }
    let (mut places, mut exchanges) = (Vec::new(), Vec::new());
    for (series, moved, comm, rank, steps) in &of_cases {
        for &bytes in &sizes {
            places.push(Place { series: series.clone(), x: bytes as u64, moved: *moved });
            exchanges.push(Exchange::new(session.mpi, (*comm, *rank), steps, Method::IsendIrecv, bytes));
        }
    }
    let mut work = Work::new(session.mpi, exchanges, &places)?;
    together(session, places, &mut work)?;
    work.free()?;
    Ok(comms.into_iter().try_for_each(Comm::free)?)
}

/// The orders of the job; `None` if no order can differ from another one.
fn find(session: &Session, problems: &mut Vec<String>) -> Option<Found> {
    let (hosts, _) = Hosts::read(&session.plan.directory);
    let cpus: Vec<CpuPlace> = session.places.iter().map(|place| hosts.place_of(&place.host, &place.cpus)).collect();
    let class = |a: Rank, b: Rank| {
        let of = |rank: Rank| (session.places[rank as usize].host.as_str(), &cpus[rank as usize]);
        PeerClass::between(of(a), of(b))
    };
    let all: Vec<Rank> = (0..session.size).collect();
    let Some(parts) = parts(&all, &class) else {
        problems.push(format!(
            "{}: all ranks are at the same distance from each other, so that no order of them can differ: it was left out",
            EXPERIMENT.id
        ));
        return None;
    };
    let found = orders(&parts, &class, session.plan.order.as_deref());
    problems.extend(found.iter().filter_map(same));
    let is_launched = |of: &&Ordered| of.order == Order::Launched || of.same.contains(&Order::Launched);
    let launched = found.iter().find(is_launched).map_or(Order::Launched, |of| of.order);
    let orders = found.into_iter().map(|of| (number(of.order), of.ranks)).collect();
    Some(Found { orders, parts, launched: number(launched) })
}

/// Which orders are measured as another one, for a reader who looks for them.
fn same(of: &Ordered) -> Option<String> {
    let (last, names) = of.same.split_last()?;
    let own = of.order.name();
    let names: Vec<&str> = [own].into_iter().chain(names.iter().map(|order| order.name())).collect();
    Some(format!("{}: {} and {} are the same order, measured as {own}", EXPERIMENT.id, names.join(", "), last.name()))
}

fn number(order: Order) -> usize {
    Order::ALL.iter().position(|known| *known == order).unwrap_or(0)
}

/// The grids that differ: a cube of few ranks may be a square, and a square a line.
fn grids(ranks: i32) -> Vec<(Stencil, Grid)> {
    let mut found: Vec<(Stencil, Grid)> = Vec::new();
    let extents = |grid: &Grid| grid.dims.iter().copied().filter(|&extent| extent > 1).collect::<Vec<_>>();
    for stencil in STENCILS {
        let grid = Grid::of(ranks, stencil.dimensions(), false);
        if found.iter().all(|(_, known)| extents(known) != extents(&grid)) {
            found.push((stencil, grid));
        }
    }
    found
}

fn series(stencil: Stencil, order: Order) -> String {
    format!("{}/{}", stencil.name(), order.name())
}

fn crossing_id(stencil: Stencil, order: Order) -> String {
    format!("crossing_{}_{}", order.name(), stencil.name())
}

/// Messages that the part with most of them sends to others in one exchange.
fn crossing(grid: &Grid, stencil: Stencil, ranks: &[Rank], parts: &[Vec<Rank>]) -> usize {
    let part_of = |at: Rank| parts.iter().position(|part| part.contains(&ranks[at as usize])).unwrap_or(0);
    let of: Vec<usize> = (0..grid.ranks()).map(part_of).collect();
    let mut sent = vec![0; parts.len()];
    for at in 0..grid.ranks() {
        for to in steps(grid, stencil, at).iter().filter_map(|step| step.to) {
            sent[of[at as usize]] += usize::from(of[at as usize] != of[to as usize]);
        }
    }
    sent.into_iter().max().unwrap_or(0)
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let mut found = Vec::new();
    let launched = measured.fact(Scope::All, LAUNCHED).and_then(|number| Order::ALL.get(number as usize));
    for stencil in STENCILS {
        let name = stencil.name();
        for order in Order::ALL {
            let is_measured = measured.times.keys().any(|(_, of, _)| *of == series(stencil, order));
            let crossing = measured.fact(Scope::All, &crossing_id(stencil, order)).filter(|_| is_measured);
            found.extend(crossing.map(|value| Parameter {
                experiment: EXPERIMENT.id.to_owned(),
                id: crossing_id(stencil, order),
                scope: Scope::All,
                unit: "messages".into(),
                value,
                text: "most messages that one host sends to others in an exchange; on one host: a package, NUMA node or cache".into(),
                ..Parameter::default()
            }));
        }
        let Some(&launched) = launched else { continue };
        for order in Order::ALL.into_iter().filter(|order| *order != launched) {
            let ratio = Ratio {
                experiment: EXPERIMENT.id,
                id: format!("{LAUNCHED}_to_{}_{name}", order.name()),
                of: &series(stencil, launched),
                by: &series(stencil, order),
                text: format!(
                    "time of an exchange with {name} neighbours in the launcher's order, divided by that in the order {}",
                    order.name()
                ),
            };
            found.extend(ratio.guidelines(measured, |bytes| {
                format!(
                    "rank order {} instead of the launcher's, for a grid with {name} neighbours at {}",
                    order.name(),
                    mpiscope_units::bytes(bytes)
                )
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_that_are_the_same_are_measured_once() {
        let of = |ranks| grids(ranks).iter().map(|(stencil, _)| stencil.name()).collect::<Vec<_>>();
        assert_eq!((of(16), of(4), of(5)), (vec!["2", "4", "6"], vec!["2", "4"], vec!["2"]));
    }

    #[test]
    fn messages_between_hosts_depend_on_the_order() {
        let parts = [vec![0, 1], vec![2, 3]];
        let of = |stencil: Stencil, ranks: [Rank; 4]| {
            crossing(&Grid::of(4, stencil.dimensions(), false), stencil, &ranks, &parts)
        };
        // A line: one edge between the hosts, or all three.
        assert_eq!((of(Stencil::Two, [0, 1, 2, 3]), of(Stencil::Two, [0, 2, 1, 3])), (1, 3));
        assert_eq!(of(Stencil::Two, [0, 2, 3, 1]), 2);
        // A square: two edges, or two in the other direction; folded all four.
        assert_eq!((of(Stencil::Four, [0, 1, 2, 3]), of(Stencil::Four, [0, 2, 1, 3])), (2, 2));
        assert_eq!(of(Stencil::Four, [0, 2, 3, 1]), 4);
    }

    #[test]
    fn an_order_is_one_of_this_job() {
        assert!(check_order(&[2, 0, 1], 3).is_ok());
        assert_eq!(
            check_order(&[0, 2], 3).unwrap_err().to_string(),
            "--order 0,2 is not an order of the ranks of this job: it needs each number from 0 to 2 once"
        );
    }

    #[test]
    fn orders_that_are_the_same_are_named() {
        let of = |same: &[Order]| super::same(&Ordered { order: Order::BySlot, ranks: Vec::new(), same: same.into() });
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[Order::Launched]).unwrap(),
            "placement: by-slot and launched are the same order, measured as by-slot"
        );
        assert_eq!(
            of(&[Order::Folded, Order::Launched]).unwrap(),
            "placement: by-slot, folded and launched are the same order, measured as by-slot"
        );
    }

    #[test]
    fn a_better_order_is_advised() {
        let mut measured = Measured::default();
        for (series, ns) in [("2/by-node", 3000.0), ("2/by-slot", 1000.0), ("2/folded", 3000.0)] {
            measured.times.insert((Scope::All, series.into(), 1024), vec![ns; 9]);
        }
        measured.facts.insert((Scope::All, "crossing_by-node_2".into()), 3.0);
        measured.facts.insert((Scope::All, "crossing_by-node_4".into()), 2.0);
        measured.facts.insert((Scope::All, LAUNCHED.into()), number(Order::ByNode) as f64);
        let found = parameters(&measured);
        let values: Vec<(&str, f64)> = found.iter().map(|p| (p.id.as_str(), p.value)).collect();
        assert_eq!(
            values,
            [("crossing_by-node_2", 3.0), ("launched_to_by-slot_2", 3.0), ("launched_to_folded_2", 1.0)]
        );
        let advice: Vec<&str> = found.iter().filter_map(|p| p.advice.as_deref()).collect();
        let text =
            "rank order by-slot instead of the launcher's, for a grid with 2 neighbours at 1.00 KiB: 3.0 times as fast";
        assert_eq!(advice, [text]);
    }
}
