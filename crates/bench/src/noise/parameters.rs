//! What the system takes from each rank, and clocks, from facts and samples.

use mpiscope_machine::{Parameter, Scope};
use mpiscope_statistics::{median, median_interval, sorted};

use super::slow::slowdowns;
use super::{ALONE, EXPERIMENT, TOGETHER};
use crate::journal::Measured;

pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = measured.scopes().into_iter().flat_map(|scope| of_rank(measured, scope)).collect();
    found.extend(slowdowns(measured));
    found
}

fn of_rank(measured: &Measured, scope: Scope) -> Vec<Parameter> {
    let fact = |id: &str| measured.fact(scope, id);
    let made = |id: &str, unit: &str, value: f64, interval: Option<(f64, f64)>, text: &str| Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id: id.to_owned(),
        text: text.to_owned(),
        ..measured.parameter(scope, unit, value, interval)
    };
    let mut found = Vec::new();
    for (series, suffix, when) in
        [(ALONE, "", "while the other ranks sleep"), (TOGETHER, "_all", "while all ranks work")]
    {
        for (what, id, unit, text) in [
            ("share", "noise_share", "1", "share of time that the system takes"),
            ("rate", "noise_rate", "1/s", "how often it interrupts the rank"),
            ("median", "noise_median", "ns", "median length of an interruption"),
            ("longest", "noise_longest", "ns", "longest interruption"),
        ] {
            let of = |end: &str| fact(&format!("{series}_{what}{end}"));
            let Some(value) = of("") else { continue };
            let interval = of("_low").zip(of("_high"));
            found.push(made(&format!("{id}{suffix}"), unit, value, interval, &format!("{text}, {when}")));
        }
    }
    for (series, id, text) in [
        ("clock-read", "clock_cost", "reading CLOCK_MONOTONIC"),
        ("wtime-read", "wtime_cost", "calling MPI_Wtime"),
        ("tsc-read", "tsc_cost", "reading the time stamp counter"),
    ] {
        let Some((.., times)) = measured.times_of(scope).find(|(of, ..)| *of == series) else { continue };
        let times = sorted(times);
        found.push(made(id, "ns", median(&times), median_interval(&times), text));
    }
    for (id, unit, text) in [
        ("clock_resolution", "ns", "smallest step that was seen of CLOCK_MONOTONIC"),
        ("wtime_resolution", "ns", "smallest step that was seen of MPI_Wtime"),
        ("wtick", "ns", "resolution of MPI_Wtime according to MPI_Wtick"),
        ("wtime_is_global", "1", "100 % if MPI_WTIME_IS_GLOBAL: MPI_Wtime has the same origin in all processes"),
    ] {
        found.extend(fact(id).map(|value| made(id, unit, value, None, text)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_and_clocks_become_parameters() {
        let mut measured = Measured::default();
        let scope = Scope::Rank(1);
        for (id, value) in [
            ("quanta_share", 0.02),
            ("quanta_share_low", 0.01),
            ("quanta_share_high", 0.03),
            ("quanta-all_longest", 4e6),
        ] {
            measured.facts.insert((scope, id.into()), value);
        }
        measured.facts.insert((Scope::Rank(0), "wtime_is_global".into()), 1.0);
        measured.times.insert((Scope::Rank(0), "wtime-read".into(), 1), vec![30.0; 25]);
        let found = parameters(&measured);
        let of = |id: &str| found.iter().find(|p| p.id == id).unwrap_or_else(|| panic!("{id}: {found:?}"));
        let share = of("noise_share");
        assert_eq!((share.scope, share.value, share.low, share.high), (scope, 0.02, Some(0.01), Some(0.03)));
        assert_eq!(of("noise_longest_all").value, 4e6);
        assert_eq!((of("wtime_cost").value, of("wtime_cost").low), (30.0, Some(30.0)));
        assert_eq!(of("wtime_is_global").scope, Scope::Rank(0));
        assert_eq!(found.len(), 4);
    }
}
