//! Ranks whose messages are slow: every pair of such a rank is slower than the pairs of other ranks at the same distance.
//!
//! A rank is compared with the pairs in which it is not, so that a slow rank does not make the others look fast or slow: each of them has pairs without it.

use std::collections::BTreeSet;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::Rank;
use mpiscope_statistics::{median, sorted};

use super::EXPERIMENT;
use super::each::Between;
use crate::journal::Measured;
use crate::slow::{and_others, is_slow, slow_ranks};

/// Stable name of the parameter.
const SLOWDOWN: &str = "message_slowdown";
/// A rank whose messages are slower by less than this is not reported: pairs at the same distance differ as much by where an MPI's buffers are.
const WORTH: f64 = 1.5;
/// With one pair, it may be the other rank; with two, a busy machine at two moments.
const FEWEST_PAIRS: usize = 3;

/// How much longer messages of a rank take than those between other ranks at the same distance.
struct Slowdown {
    rank: Rank,
    bytes: u64,
    value: f64,
    low: f64,
    high: f64,
}

fn slowdowns_of(all: &[Between]) -> Vec<Slowdown> {
    let ranks: BTreeSet<Rank> = all.iter().flat_map(|between| between.ranks).collect();
    let sizes: BTreeSet<u64> = all.iter().map(|between| between.bytes).collect();
    // Of three ranks, each has only two others.
    let fewest = FEWEST_PAIRS.min(ranks.len().saturating_sub(1)).max(2);
    let of_rank = |(rank, bytes): (Rank, u64)| {
        let of_size = || all.iter().filter(|between| between.bytes == bytes);
        let ratio = |own: &Between| {
            let others = || of_size().filter(|other| other.distance == own.distance && !other.ranks.contains(&rank));
            let usual = |part: fn(&Between) -> f64| median(&sorted(&others().map(part).collect::<Vec<_>>()));
            others().next()?;
            // The ends of the intervals contain the ratio with more than 95 %.
            let ends = (own.low / usual(|other| other.high), own.high / usual(|other| other.low));
            Some((own.value / usual(|other| other.value), ends))
        };
        let own = of_size().filter(|between| between.ranks.contains(&rank));
        let ratios: Vec<(f64, (f64, f64))> = own.filter_map(ratio).collect();
        (ratios.len() >= fewest).then(|| Slowdown {
            rank,
            bytes,
            value: median(&sorted(&ratios.iter().map(|(value, _)| *value).collect::<Vec<_>>())),
            // Of a slow rank, every pair is slow.
            low: ratios.iter().map(|(_, (low, _))| *low).fold(f64::INFINITY, f64::min),
            high: ratios.iter().map(|(_, (_, high))| *high).fold(0.0, f64::max),
        })
    };
    ranks.into_iter().flat_map(|rank| sizes.iter().map(move |&bytes| (rank, bytes))).filter_map(of_rank).collect()
}

/// The ranks that would be named.
pub fn suspects(all: &[Between]) -> BTreeSet<Rank> {
    let slow = slowdowns_of(all).into_iter().filter(|found| is_slow(found.value, Some(found.low), WORTH));
    slow.map(|found| found.rank).collect()
}

/// For each rank and size, the time of its messages divided by that of messages between other ranks at the same distance.
pub fn slowdowns(measured: &Measured) -> Vec<Parameter> {
    let facts = measured.facts.keys();
    let of_fact = |(scope, id): &(Scope, String)| Between::of_fact(*scope, id, |id| measured.fact(*scope, id));
    let all: Vec<Between> = facts.filter_map(of_fact).collect();
    let parameter = |Slowdown { rank, bytes, value, low, high }| {
        Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id: SLOWDOWN.to_owned(),
        from_bytes: Some(bytes),
        to_bytes: Some(bytes),
        text: "time of a message to and from this rank, divided by that between other ranks at the same distance; the interval contains the ratios of all its pairs".to_owned(),
        ..measured.parameter(Scope::Rank(rank), "x", value, Some((low, high)))
    }
    };
    slowdowns_of(&all).into_iter().map(parameter).collect()
}

/// Which rank has slow messages, as a sentence; `None` if there is none.
pub fn problem(parameters: &[Parameter]) -> Option<String> {
    let slow = slow_ranks(parameters, EXPERIMENT.id, SLOWDOWN, WORTH);
    let (rank, worst) = slow.first()?;
    let size = mpiscope_units::bytes(worst.from_bytes.unwrap_or(0));
    let interval = match (worst.low, worst.high) {
        (Some(low), Some(high)) => format!(" ({low:.1} to {high:.1} times in all its pairs)"),
        _ => String::new(),
    };
    Some(format!(
        "{}: messages of {size} to and from rank {rank} take {:.1} times as long as between other ranks at the same distance{interval}{}",
        EXPERIMENT.id,
        worst.value,
        and_others(slow.len(), WORTH),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs at a distance, with their times ± 5 %.
    fn measured(pairs: &[(usize, [Rank; 2], f64)]) -> Measured {
        let mut measured = Measured::default();
        for &(distance, [a, b], ns) in pairs {
            for (end, factor) in [("value", 1.0), ("low", 0.95), ("high", 1.05)] {
                let id = format!("between_{a}_{b}_8_{end}");
                measured.facts.insert((Scope::Pair(distance), id), ns * factor);
            }
        }
        measured
    }

    fn found(pairs: &[(usize, [Rank; 2], f64)]) -> Option<String> {
        problem(&slowdowns(&measured(pairs)))
    }

    /// All pairs of so many ranks at one distance; those of the slow rank take three times as long.
    fn with_slow(ranks: Rank, slow: Rank) -> Vec<(usize, [Rank; 2], f64)> {
        let pairs = (0..ranks).flat_map(|a| (a + 1..ranks).map(move |b| [a, b]));
        pairs.map(|pair| (0, pair, if pair.contains(&slow) { 900.0 } else { 300.0 })).collect()
    }

    #[test]
    fn a_rank_with_slow_messages_is_named() {
        for (ranks, slow) in [(3, 0), (4, 2), (8, 7)] {
            let text = format!(
                "pingpong: messages of 8 B to and from rank {slow} take 3.0 times as long as between other ranks at the same distance (2.7 to 3.3 times in all its pairs)"
            );
            assert_eq!(found(&with_slow(ranks, slow)), Some(text));
        }
    }

    #[test]
    fn ranks_that_are_as_fast_are_not_named() {
        assert_eq!(found(&with_slow(4, 9)), None);
        assert_eq!(found(&[]), None);
        // One slow pair is not a slow rank.
        let mut pairs = with_slow(4, 9);
        pairs[2].2 = 3000.0;
        assert_eq!(found(&pairs), None);
        // Two ranks cannot be told apart.
        assert_eq!(found(&with_slow(2, 1)), None);
    }

    #[test]
    fn pairs_are_compared_at_the_same_distance() {
        // Rank 3 is on another host.
        let far = |a: Rank| (1, [a, 3], 9000.0);
        let mut pairs = with_slow(3, 9);
        pairs.extend([far(0), far(1), far(2)]);
        assert_eq!(found(&pairs), None);
        let slow = slowdowns(&measured(&pairs));
        let ranks: Vec<Scope> = slow.iter().map(|parameter| parameter.scope).collect();
        // There is no pair at its distance without rank 3.
        assert_eq!(ranks, [0, 1, 2].map(Scope::Rank));
    }

    #[test]
    fn suspects_are_those_that_would_be_named() {
        let all = |slow: Rank| -> Vec<Between> {
            let between = |(distance, ranks, ns): (usize, _, f64)| Between {
                distance,
                ranks,
                bytes: 8,
                value: ns,
                low: 0.95 * ns,
                high: 1.05 * ns,
            };
            with_slow(5, slow).into_iter().map(between).collect()
        };
        assert_eq!((suspects(&all(3)), suspects(&all(9))), ([3].into(), BTreeSet::new()));
        // Two pairs say nothing about a rank of five.
        let mut few = all(3);
        few.retain(|between| !between.ranks.contains(&3) || between.ranks.contains(&0) || between.ranks.contains(&1));
        assert_eq!(suspects(&few), BTreeSet::new());
    }
}
