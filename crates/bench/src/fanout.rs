//! `fanout`: one process sends to its neighbours while all other ranks are silent.
//!
//! Half of a halo exchange ought to have the same rate: each rank sends the same messages. What a halo needs more is contention for memory
//! and network, progress that waits for the rank's own turn, and the scheduling of more ranks than processors. So both are measured in
//! turn, in one job, and the ratio of the times is a parameter.
//!
//! Source: Gropp and Lusk, *Programming in MPI for Performance*.

use mpiscope_machine::Parameter;
use mpiscope_mpi::Rank;

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::halo::exchange::{Exchange, Step, steps};
use crate::halo::grid::{Grid, STENCILS, Stencil};
use crate::halo::method::Method;
use crate::halo::{Work, sizes};
use crate::journal::Measured;
use crate::ratio::Ratio;
use crate::rounds::together;
use crate::schedule::Place;
use crate::session::Session;

pub const EXPERIMENT: Experiment = Experiment {
    id: "fanout",
    what: "one process sends to its neighbours while all others are silent, beside a halo exchange of the same messages",
    measures: "time and rate by size, of both",
    parameters: "time of the halo exchange divided by that of one process",
    source: "Gropp and Lusk, Programming in MPI for Performance: mesh exchange",
    fewest_ranks: 2,
    weight: 1,
    is_standard: true,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table { numbers: Numbers::Rates, rows: Rows::Series(&["who sends", "neighbours"]), shown: |_, _| true },
};

const ONE: &str = "one";
const ALL: &str = "all";
/// Who sends.
const CENTRE: Rank = 0;

fn run(session: &mut Session) -> Result<(), BenchError> {
    let sizes = sizes(session.is_named(), session.plan.max_bytes);
    let mut of_cases: Vec<(String, f64, Vec<Step>)> = Vec::new();
    for stencil in STENCILS {
        let grid = Grid::of(session.size, stencil.dimensions(), true);
        let messages = grid.messages(stencil);
        let all = steps(&grid, stencil, session.rank);
        of_cases.push((series(ONE, stencil), messages, of_one(&all, session.rank)));
        of_cases.push((series(ALL, stencil), messages, all));
    }
    let (mut places, mut exchanges) = (Vec::new(), Vec::new());
    for (series, moved, steps) in &of_cases {
        for &bytes in &sizes {
            places.push(Place { series: series.clone(), x: bytes as u64, moved: *moved });
            let world = (session.mpi.world(), session.rank);
            exchanges.push(Exchange::new(session.mpi, world, steps, Method::IsendIrecv, bytes));
        }
    }
    let mut work = Work::new(session.mpi, exchanges, &places)?;
    together(session, places, &mut work)?;
    work.free()
}

fn series(who: &str, stencil: Stencil) -> String {
    format!("{who}/{}", stencil.name())
}

/// The same steps, of which only the messages of one rank remain.
fn of_one(steps: &[Step], rank: Rank) -> Vec<Step> {
    let step = |step: &Step| Step {
        to: step.to.filter(|_| rank == CENTRE),
        from: step.from.filter(|&from| from == CENTRE),
        sends_first: step.sends_first,
    };
    steps.iter().map(step).collect()
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let of_stencil = |stencil: Stencil| {
        let (one, all) = (series(ONE, stencil), series(ALL, stencil));
        let name = stencil.name();
        let ratio = Ratio {
            experiment: EXPERIMENT.id,
            id: format!("halo_to_one_{name}"),
            of: &all,
            by: &one,
            text: format!(
                "time of a halo exchange with {name} neighbours, divided by that of one process that sends as many messages"
            ),
        };
        ratio.parameters(measured)
    };
    STENCILS.into_iter().flat_map(of_stencil).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_rank_sends() {
        let grid = Grid::of(16, 2, true);
        let all: Vec<Vec<Step>> = (0..16).map(|rank| of_one(&steps(&grid, Stencil::Eight, rank), rank)).collect();
        let count = |has: fn(&Step) -> bool| all.iter().flatten().filter(|step| has(step)).count();
        assert_eq!((count(|step| step.to.is_some()), count(|step| step.from.is_some())), (8, 8));
        for (at, step) in all[0].iter().enumerate() {
            assert_eq!(step.to.and_then(|to| all[to as usize][at].from), Some(CENTRE));
        }
    }
}
