//! Times and memory of the start, from facts of the ranks and samples of all.

use mpiscope_machine::{Parameter, Scope};
use mpiscope_statistics::{median, median_interval, quantile, sorted};

use super::{ALL_MADE, EXPERIMENT, by_ranks, connections};
use crate::journal::Measured;

pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    let made = |id: &str, unit: &str, value: f64, interval: Option<(f64, f64)>, text: &str| Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id: id.to_owned(),
        text: text.to_owned(),
        ..measured.parameter(Scope::All, unit, value, interval)
    };
    let ranks: Vec<Scope> = measured.scopes().into_iter().filter(|scope| scope.rank().is_some()).collect();
    // One number of each rank, in ascending order.
    let of_ranks = |value: &dyn Fn(Scope) -> Option<f64>| {
        let values: Vec<f64> = ranks.iter().filter_map(|&scope| value(scope)).collect();
        Some(sorted(&values)).filter(|values| !values.is_empty())
    };
    let fact = |scope: Scope, id: &str| measured.fact(scope, id);
    let mut found = Vec::new();
    if let Some(times) = of_ranks(&|scope| fact(scope, "init_ns")) {
        found.push(made("init", "ns", quantile(&times, 1.0), None, "MPI_Init_thread on the slowest rank"));
        found.push(made("init_median", "ns", median(&times), None, "the same, median of the ranks"));
    }
    for call in ALL_MADE {
        // Of several numbers of ranks, all.
        let Some((.., times)) = measured.times_of(Scope::All).filter(|(series, ..)| *series == call.name()).last()
        else {
            continue;
        };
        let times = sorted(times);
        found.push(made(call.name(), "ns", median(&times), median_interval(&times), call.text()));
    }
    let last = connections::moment(ranks.len().saturating_sub(1));
    for (id, moment, text) in [
        (
            "memory_before_init",
            "before_init",
            "memory of a process before MPI_Init, shared pages divided by the processes that have them; median of the ranks",
        ),
        ("memory_after_init", "after_init", "the same after MPI_Init"),
        ("memory_connected", last.as_str(), "the same after a first message to and from every rank"),
    ] {
        if let Some(bytes) = of_ranks(&|scope| fact(scope, &format!("{moment}_proportional"))) {
            found.push(made(id, "B", median(&bytes), None, text));
        }
    }
    found.extend(connections::parameters(measured));
    found.extend(by_ranks::parameters(measured));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_the_ranks_become_parameters() {
        let mut measured = Measured::default();
        for (rank, init, before, after) in [(0, 3e6, 10.0, 10.0), (1, 5e6, 20.0, 80.0), (2, 4e6, 20.0, 100.0)] {
            for (id, value) in [
                ("init_ns", init),
                ("partners_0_resident", before),
                ("partners_2_resident", after),
                ("partners_2_proportional", after),
                ("after_init_proportional", before),
            ] {
                measured.facts.insert((Scope::Rank(rank), id.into()), value);
            }
        }
        measured.times.insert((Scope::All, "comm_dup".into(), 2), vec![5.0; 12]);
        measured.times.insert((Scope::All, "comm_dup".into(), 3), vec![7.0; 12]);
        let found: Vec<(String, f64)> = parameters(&measured).into_iter().map(|p| (p.id, p.value)).collect();
        let expected = [
            ("init", 5e6),
            ("init_median", 4e6),
            ("comm_dup", 7.0),
            ("memory_after_init", 20.0),
            ("memory_connected", 80.0),
            ("memory_partners_2", 60.0),
            ("memory_of_connection", 30.0),
        ];
        assert_eq!(found, expected.map(|(id, value)| (id.to_owned(), value)));
        assert!(parameters(&Measured::default()).is_empty());
    }
}
