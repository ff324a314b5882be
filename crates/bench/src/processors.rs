//! Which ranks measure at the same time what a node can do: one for each processor.
//!
//! Ranks that share a processor would take turns of some milliseconds, so that each of them looks as fast as if it were alone.

use std::collections::{BTreeSet, HashMap};

use mpiscope_launch::node::numbers;
use mpiscope_machine::{RankPlace, Scope};
use mpiscope_mpi::Rank;

use crate::journal::Measured;
use crate::session::Session;

/// For a rank, its processor among those that it may use, by its number; `None` if ranks before it have taken all of them.
pub fn own_processor(places: &[RankPlace], rank: Rank) -> Option<usize> {
    own_processors(places).find(|(place, _)| place.rank == rank)?.1
}

/// The ranks that measure at once, in ascending order. Rank 0 is one of them.
pub fn measuring(places: &[RankPlace]) -> Vec<Rank> {
    own_processors(places).filter(|(_, own)| own.is_some()).map(|(place, _)| place.rank).collect()
}

fn own_processors(places: &[RankPlace]) -> impl Iterator<Item = (&RankPlace, Option<usize>)> {
    let mut taken: HashMap<&str, BTreeSet<u32>> = HashMap::new();
    places.iter().map(move |place| {
        let taken = taken.entry(&place.host).or_default();
        let usable: Vec<u32> = numbers(&place.cpus).collect();
        let free = usable.iter().position(|cpu| !taken.contains(cpu));
        taken.extend(free.map(|at| usable[at]));
        // What is not known is not shared.
        (place, if usable.is_empty() { Some(0) } else { free })
    })
}

/// Fact: how many ranks measured at once.
const MEASURING: &str = "measuring";
/// Fact: how many ranks there are.
const RANKS: &str = "ranks";

/// Keeps how many ranks measure at once, and of how many.
pub fn record(session: &mut Session) {
    let measuring = measuring(&session.places).len();
    for (id, number) in [(MEASURING, measuring as f64), (RANKS, f64::from(session.size))] {
        session.fact(Scope::All, id, number);
    }
}

/// How many ranks measured at once, and these in words.
pub fn measured_at_once(measured: &Measured) -> (f64, String) {
    let fact = |id: &str| measured.fact(Scope::All, id).unwrap_or(1.0);
    let (measuring, ranks) = (fact(MEASURING), fact(RANKS));
    let who = match measuring < ranks {
        true => format!("{measuring} of {ranks} ranks together, one for each processor, each as fast as the slowest"),
        false => "all ranks together, each as fast as the slowest".to_owned(),
    };
    (measuring, who)
}

/// What [`record`] keeps.
#[cfg(test)]
pub fn put(measured: &mut Measured, measuring: f64, ranks: f64) {
    measured.facts.insert((Scope::All, MEASURING.into()), measuring);
    measured.facts.insert((Scope::All, RANKS.into()), ranks);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(places: &[(&str, &str)]) -> Vec<Option<usize>> {
        let place = |(rank, (host, cpus)): (usize, &(&str, &str))| RankPlace {
            rank: rank as i32,
            host: (*host).to_owned(),
            cpus: (*cpus).to_owned(),
        };
        let places: Vec<RankPlace> = places.iter().enumerate().map(place).collect();
        let found: Vec<Option<usize>> = (0..places.len()).map(|rank| own_processor(&places, rank as i32)).collect();
        assert_eq!(measuring(&places).len(), found.iter().flatten().count());
        found
    }

    #[test]
    fn each_processor_has_one_rank() {
        // Two processors of each of two hosts, for five ranks that are not bound.
        let (a, b) = (("a", "0-1"), ("b", "4,6"));
        assert_eq!(found(&[a, b, a, a, b]), [Some(0), Some(0), Some(1), None, Some(1)]);
        // Bound ranks, two of them to the same processor.
        assert_eq!(found(&[("a", "1"), ("a", "1"), ("a", "0")]), [Some(0), None, Some(0)]);
        // The kernel does not say which.
        assert_eq!(found(&[("a", ""), ("a", "")]), [Some(0), Some(0)]);
        assert_eq!(own_processor(&[], 0), None);
    }
}
