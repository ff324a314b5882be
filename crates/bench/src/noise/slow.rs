//! Ranks that compute slower than the others: a processor with a lower frequency, one that another process uses, or a limit of a control group.
//!
//! Every rank makes the same work at the same time, and what it takes includes interruptions. A rank is compared with the median of all, or
//! with the other one of two.

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::Rank;
use mpiscope_statistics::{median, sorted};

use super::{EXPERIMENT, TOGETHER};
use crate::journal::Measured;
use crate::slow::{and_others, slow_ranks};

/// Stable name of the parameter.
const SLOWDOWN: &str = "slowdown";
/// A rank that is slower by less than this is not reported: interruptions by the system differ as much.
const WORTH: f64 = 1.1;

/// Time of a step on a rank, ns.
#[derive(Clone, Copy)]
struct Step {
    rank: Rank,
    value: f64,
    low: f64,
    high: f64,
}

/// For each rank, its time of a step divided by that of the ranks in general; none for one rank.
pub fn slowdowns(measured: &Measured) -> Vec<Parameter> {
    let of_scope = |scope: Scope| {
        let Scope::Rank(rank) = scope else { return None };
        let fact = |end: &str| measured.fact(scope, &format!("{TOGETHER}_step{end}"));
        Some(Step { rank, value: fact("")?, low: fact("_low")?, high: fact("_high")? })
    };
    let all: Vec<Step> = measured.scopes().into_iter().filter_map(of_scope).collect();
    if all.len() < 2 {
        return Vec::new();
    }
    let middle = |part: fn(&Step) -> f64| median(&sorted(&all.iter().map(part).collect::<Vec<_>>()));
    let usual = Step {
        rank: all[0].rank,
        value: middle(|step| step.value),
        low: middle(|step| step.low),
        high: middle(|step| step.high),
    };
    let parameter = |own: &Step| {
        let usual = match &all[..] {
            [first, second] => {
                if own.rank == first.rank {
                    second
                } else {
                    first
                }
            }
            _ => &usual,
        };
        // The ends of the intervals contain the ratio with more than 95 %.
        let interval = (own.low / usual.high, own.high / usual.low);
        let value = own.value / usual.value;
        Parameter {
            experiment: EXPERIMENT.id.to_owned(),
            id: SLOWDOWN.to_owned(),
            text: "time of the same work, divided by the median of all ranks (of two: by that of the other one), while all work".to_owned(),
            ..measured.parameter(Scope::Rank(own.rank), "x", value, Some(interval))
        }
    };
    all.iter().map(parameter).collect()
}

/// Which ranks of these are slower than the others, as a sentence; `None` if there are none.
pub fn problem(parameters: &[Parameter], is_considered: impl Fn(Rank) -> bool) -> Option<String> {
    let mut slow = slow_ranks(parameters, EXPERIMENT.id, SLOWDOWN, WORTH);
    slow.retain(|&(rank, _)| is_considered(rank));
    let (rank, worst) = slow.first()?;
    let (times, others) = (worst.value, and_others(slow.len(), WORTH));
    Some(format!("{}: rank {rank} computes {times:.1} times slower than the others{others}", EXPERIMENT.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks whose steps take so long, ± 5 %.
    fn measured(steps: &[f64]) -> Measured {
        let mut measured = Measured::default();
        for (rank, step) in steps.iter().enumerate() {
            for (end, factor) in [("", 1.0), ("_low", 0.95), ("_high", 1.05)] {
                let key = (Scope::Rank(rank as Rank), format!("{TOGETHER}_step{end}"));
                measured.facts.insert(key, step * factor);
            }
        }
        measured
    }

    fn found(steps: &[f64]) -> Option<String> {
        problem(&slowdowns(&measured(steps)), |_| true)
    }

    #[test]
    fn a_slow_rank_is_named() {
        let text = "noise: rank 3 computes 1.9 times slower than the others";
        assert_eq!(found(&[2.0, 2.0, 2.02, 3.8]).as_deref(), Some(text));
        assert_eq!(found(&[3.8, 2.0]).as_deref(), Some("noise: rank 0 computes 1.9 times slower than the others"));
        assert_eq!(
            found(&[2.0, 2.0, 2.0, 3.8, 2.5, 2.0, 2.0]).as_deref(),
            Some("noise: rank 3 computes 1.9 times slower than the others, and 1 other rank more than 1.1 times")
        );
        let slowdowns = slowdowns(&measured(&[2.0, 2.0, 2.0, 4.0]));
        assert_eq!(problem(&slowdowns, |rank| rank != 3), None);
        let [.., last] = &slowdowns[..] else { panic!() };
        assert_eq!((last.scope, last.value), (Scope::Rank(3), 2.0));
        assert!(last.low.unwrap() > 1.7 && last.high.unwrap() < 2.3);
    }

    #[test]
    fn ranks_that_are_as_fast_are_not_named() {
        assert_eq!(found(&[2.0, 2.1, 1.95, 2.05]), None);
        // Faster than the others.
        assert_eq!(found(&[2.0, 2.0, 1.0]), None);
        // Not more than the intervals.
        assert_eq!(problem(&slowdowns(&measured(&[2.0, 2.0, 2.2])), |_| true), None);
        assert!(slowdowns(&measured(&[2.0])).is_empty());
    }
}
