//! Ranks that are slower than the others, by a parameter that each rank has.

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::Rank;

/// Whether it is slower by at least `worth` times, and certainly slower at all.
pub fn is_slow(value: f64, low: Option<f64>, worth: f64) -> bool {
    value >= worth && low.is_some_and(|low| low > 1.0)
}

/// Which ranks are slower by at least `worth` times, and certainly slower at all, the slowest first; each with the parameter in which it is slowest.
pub fn slow_ranks<'a>(
    parameters: &'a [Parameter],
    experiment: &str,
    id: &str,
    worth: f64,
) -> Vec<(Rank, &'a Parameter)> {
    let of_rank = |parameter: &'a Parameter| match parameter.scope {
        Scope::Rank(rank) if parameter.experiment == experiment && parameter.id == id => Some((rank, parameter)),
        _ => None,
    };
    let mut slow: Vec<(Rank, &Parameter)> =
        parameters.iter().filter_map(of_rank).filter(|(_, of)| is_slow(of.value, of.low, worth)).collect();
    slow.sort_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
    let mut seen = std::collections::BTreeSet::new();
    slow.retain(|(rank, _)| seen.insert(*rank));
    slow
}

/// The end of a sentence about the first of so many slow ranks.
pub fn and_others(slow: usize, worth: f64) -> String {
    match slow.saturating_sub(1) {
        0 => String::new(),
        more => format!(", and {} more than {worth} times", mpiscope_units::counted(more as u64, "other rank(s)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slow_rank_is_there_once() {
        let parameter = |rank: Rank, value: f64, low: f64| Parameter {
            experiment: "noise".into(),
            id: "slowdown".into(),
            scope: Scope::Rank(rank),
            value,
            low: Some(low),
            ..Parameter::default()
        };
        let all = [
            parameter(0, 1.0, 0.9),
            parameter(1, 2.0, 1.8),
            parameter(1, 3.0, 2.0),
            parameter(2, 4.0, 0.9),
            parameter(3, 9.0, 5.0),
        ];
        let found = |id: &str| -> Vec<(Rank, f64)> {
            slow_ranks(&all, "noise", id, 1.5).into_iter().map(|(rank, parameter)| (rank, parameter.value)).collect()
        };
        assert_eq!((found("slowdown"), found("other")), (vec![(3, 9.0), (1, 3.0)], vec![]));
        assert_eq!(and_others(1, 1.5), "");
        assert_eq!(and_others(3, 1.5), ", and 2 other ranks more than 1.5 times");
    }
}
