//! `steps`: how many times as long as one transfer the exchange of a mesh takes.
//!
//! On a mesh that does not wrap, four transfers after each other are enough: one in each direction. If all ranks send in the same order with
//! blocking sends, messages that need the receiver wait for each other where two ranks send to the same one, and the exchange of a 4 × 4
//! mesh may take six. Non-blocking sends leave the order to the MPI; the phased exchange avoids the contention.
//!
//! Source: Gropp and Lusk, *Programming in MPI for Performance*: "Why Six Steps?"

mod staircase;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::Rank;

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::halo::Work;
use crate::halo::exchange::{Exchange, Step, steps};
use crate::halo::grid::{Grid, Stencil};
use crate::halo::method::Method;
use crate::journal::Measured;
use crate::ratio::Ratio;
use crate::rounds::together;
use crate::schedule::Place;
use crate::session::Session;

pub const EXPERIMENT: Experiment = Experiment {
    id: "steps",
    what: "all ranks of a mesh that does not wrap exchange long messages with 4 neighbours, beside one such message",
    measures: "time of the exchange with blocking sends in the same order, non-blocking and phased; when each rank's sends begin and end in one of them",
    parameters: "time of each exchange divided by that of one message, and the steps that a model of blocking sends predicts",
    source: "Gropp and Lusk, Programming in MPI for Performance: why six steps",
    fewest_ranks: 4,
    weight: 1,
    is_standard: true,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::Times, rows: Rows::Places(head), shown: |_, _| true },
};

/// Above what MPIs send without the receiver.
const BYTES: [usize; 2] = [64 << 10, 256 << 10];
const ONE: &str = "one message";
const PREDICTED: &str = "predicted_steps";

/// Method, name of the parameter, and what it is.
const METHODS: [(Method, &str, &str); 3] = [
    (Method::SendIrecv, "steps_blocking", "blocking sends in the same order on all ranks"),
    (Method::IsendIrecv, "steps_nonblocking", "non-blocking sends"),
    (Method::Phased, "steps_phased", "blocking sends in phases"),
];

fn head(series: &str) -> &'static str {
    METHODS.iter().map(|(method, ..)| method.name()).find(|name| *name == series).unwrap_or(ONE)
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let most = session.plan.max_bytes;
    let mut sizes: Vec<usize> = BYTES.into_iter().filter(|&bytes| bytes <= most).collect();
    if sizes.is_empty() {
        sizes.push(most);
    }
    let grid = Grid::of(session.size, 2, false);
    let all = steps(&grid, Stencil::Four, session.rank);
    let one = of_one(&grid, session.rank);
    let mut cases: Vec<(&str, Method, &[Step], f64)> = vec![(ONE, Method::SendIrecv, &one, 1.0)];
    let moved = grid.messages(Stencil::Four);
    cases.extend(METHODS.iter().map(|(method, ..)| (method.name(), *method, all.as_slice(), moved)));
    let (mut places, mut exchanges) = (Vec::new(), Vec::new());
    for (series, method, steps, moved) in cases {
        for &bytes in &sizes {
            places.push(Place { series: series.to_owned(), x: bytes as u64, moved });
            let world = (session.mpi.world(), session.rank);
            exchanges.push(Exchange::new(session.mpi, world, steps, method, bytes));
        }
    }
    if session.rank == 0 {
        session.fact(Scope::All, PREDICTED, f64::from(predicted(&grid)));
    }
    let mut work = Work::new(session.mpi, exchanges, &places)?;
    together(session, places.clone(), &mut work)?;
    let chosen: Vec<&str> =
        METHODS.iter().map(|(method, ..)| method.name()).filter(|series| session.is_chosen(series)).collect();
    staircase::record(session, &places, &mut work, |series| chosen.contains(&series))?;
    work.free()
}

/// The steps of which only the first message of rank 0 remains.
fn of_one(grid: &Grid, rank: Rank) -> Vec<Step> {
    let first = steps(grid, Stencil::Four, 0).iter().position(|step| step.to.is_some());
    let step = |(at, step): (usize, Step)| {
        let is_first = Some(at) == first;
        Step {
            to: step.to.filter(|_| is_first && rank == 0),
            from: step.from.filter(|&from| is_first && from == 0),
            ..step
        }
    };
    steps(grid, Stencil::Four, rank).into_iter().enumerate().map(step).collect()
}

/// Steps in a model: in each, a rank receives one of the messages that others want to send to it, that of the highest rank; a rank's sends
/// are one after another, in the same order on all ranks.
fn predicted(grid: &Grid) -> u32 {
    let mut sends: Vec<Vec<Rank>> = (0..grid.ranks())
        .map(|rank| steps(grid, Stencil::Four, rank).iter().rev().filter_map(|step| step.to).collect())
        .collect();
    let mut count = 0;
    while sends.iter().any(|sends| !sends.is_empty()) {
        count += 1;
        // By receiver, the sender; of several, the last in this order.
        let wanted: std::collections::BTreeMap<Rank, usize> =
            (0..sends.len()).filter_map(|rank| Some((*sends[rank].last()?, rank))).collect();
        for sender in wanted.into_values() {
            sends[sender].pop();
        }
    }
    count
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let of_method = |(method, id, text): &(Method, &str, &str)| {
        let ratio = Ratio {
            experiment: EXPERIMENT.id,
            id: (*id).to_owned(),
            of: method.name(),
            by: ONE,
            text: format!("time of an exchange on the mesh, {text}, divided by that of one message"),
        };
        ratio.parameters(measured)
    };
    let mut found: Vec<Parameter> = METHODS.iter().flat_map(of_method).collect();
    found.extend(measured.facts.get(&(Scope::All, PREDICTED.to_owned())).map(|&value| Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id: PREDICTED.to_owned(),
        scope: Scope::All,
        unit: "x".into(),
        value,
        text: "the same for blocking sends in a model: a rank receives one message at a time, that of the highest rank first".into(),
        ..Parameter::default()
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_of_four_by_four_takes_six_steps() {
        let of = |ranks| predicted(&Grid::of(ranks, 2, false));
        assert_eq!((of(16), of(4), of(64)), (6, 3, 6));
        assert_eq!(predicted(&Grid::of(2, 2, false)), 1);
    }

    #[test]
    fn one_message_is_one_message() {
        for ranks in [4, 5, 6, 16] {
            let grid = Grid::of(ranks, 2, false);
            let all: Vec<Vec<Step>> = (0..ranks).map(|rank| of_one(&grid, rank)).collect();
            let sent: Vec<(Rank, usize)> =
                all[0].iter().enumerate().filter_map(|(at, step)| Some((step.to?, at))).collect();
            let [(to, at)] = sent[..] else { panic!("{sent:?}") };
            assert_eq!(all[to as usize][at].from, Some(0));
            assert_eq!(all.iter().flatten().filter(|step| step.from.is_some() || step.to.is_some()).count(), 2);
        }
    }

    #[test]
    fn steps_are_times_of_one_message() {
        let mut measured = Measured::default();
        for (series, ns) in [(ONE, 100.0), ("send-irecv", 620.0), ("isend-irecv", 410.0)] {
            measured.times.insert((Scope::All, series.to_owned(), 65536), vec![ns; 9]);
        }
        measured.facts.insert((Scope::All, PREDICTED.to_owned()), 6.0);
        let found = parameters(&measured);
        let found: Vec<(&str, f64)> = found.iter().map(|p| (p.id.as_str(), p.value)).collect();
        assert_eq!(found, [("steps_blocking", 6.2), ("steps_nonblocking", 4.1), (PREDICTED, 6.0)]);
    }
}
