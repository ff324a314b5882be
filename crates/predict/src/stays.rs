//! Which algorithm an MPI takes for a kind of operations: that with which members would leave when they left.
//!
//! Ranks seldom come at once, and algorithms differ in which member waits for which. In a barrier by a root, no rank leaves before the root has
//! heard of all; by dissemination, a rank leaves as soon as the last of its chain of partners has come. What a run costs in the long run follows from
//! that: ranks of two hosts may stay in step, or half a step apart.

use mpiscope_model::simulation::{Algorithm, Kind, Network};
use mpiscope_store::Member;

use crate::operation::Operation;
use crate::spread::Spread;

/// Operations of a kind that are kept.
const MOST: usize = 8;
/// Operations with more members are not kept.
const MOST_MEMBERS: usize = 512;
/// Another algorithm than the usual one must explain what was recorded with so much less error.
const BETTER: f64 = 0.7;
/// Factors around the one that is right if all come at once.
const FACTORS: [f64; 9] = [0.25, 0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 4.0];
/// Steps around the best of these.
const FINER: [f64; 4] = [0.92, 0.96, 1.04, 1.08];

/// Some operations of a kind, evenly spread over the run: when each member came and left, by place, ns since the first came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stays(Spread<(Vec<u64>, Vec<u64>), MOST>);

/// What explains them best.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Explanation {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How much longer it takes than the network's costs say.
    pub factor: f64,
    /// Others that explain them about as well, with their factors: the MPI may take one of these.
    pub others: Vec<(Algorithm, f64)>,
}

impl Stays {
    /// Adds an operation; `places` are those of its members, of whom all must be there.
    pub fn add(&mut self, members: &[Member], places: &[u32]) {
        let is_blocking = members.iter().all(|m| m.end.row == m.end.done_row);
        if !is_blocking || members.len() > MOST_MEMBERS {
            return;
        }
        self.0.push(|| stay(members, places));
    }

    /// How much time it takes to explain them, in steps of members, if it takes as long as for others.
    pub fn effort(&self) -> u64 {
        self.0.kept().iter().map(|(entries, _)| entries.len() as u64).sum()
    }

    /// The algorithm and its factor. `own_ns` is how long such operations take after the last member has come.
    pub fn explain(&self, network: &Network, (number, kind): (u32, &Kind), own_ns: f64) -> Option<Explanation> {
        let mut operation = Operation::new(network, number, kind)?;
        let usual = Algorithm::usual(kind);
        // Error, algorithm, factor.
        let mut tried: Vec<(f64, Algorithm, f64)> = Vec::new();
        let others = Algorithm::of(kind.data).iter().copied().filter(|of| *of != usual);
        for algorithm in std::iter::once(usual).chain(others).filter(|of| *of != Algorithm::Hierarchical) {
            operation.set(algorithm, 1.0);
            let guess = operation.factor(own_ns);
            let mut error_of = |factor: f64| {
                operation.set(algorithm, factor);
                (self.error_ns(&operation), factor)
            };
            let least = |a: (f64, f64), b: (f64, f64)| if b.0 < a.0 { b } else { a };
            let coarse = FACTORS.map(|step| error_of(guess * step)).into_iter().reduce(least)?;
            let (error_ns, factor) = FINER.map(|step| error_of(coarse.1 * step)).into_iter().fold(coarse, least);
            tried.push((error_ns, algorithm, factor));
        }
        let must_be_below = |best: f64, at: usize| if at == 0 { best * BETTER } else { best };
        let closer = |best: usize, at: usize| if tried[at].0 < must_be_below(tried[best].0, best) { at } else { best };
        let best = (1..tried.len()).fold(0, closer);
        let &(error_ns, algorithm, factor) = tried.get(best).filter(|of| of.0.is_finite())?;
        let alike = tried.iter().filter(|of| of.1 != algorithm && of.0 * BETTER <= error_ns);
        Some(Explanation { algorithm, factor, others: alike.map(|of| (of.1, of.2)).collect() })
    }

    /// By how much members leave at other moments than they did: the median of the operations, so that one that was interrupted does not
    /// decide.
    fn error_ns(&self, operation: &Operation) -> f64 {
        let of = |(entries_ns, left_ns): &(Vec<u64>, Vec<u64>)| {
            let exits_ns = operation.exits_ns(entries_ns);
            exits_ns.iter().zip(left_ns).map(|(a, b)| a.abs_diff(*b)).sum::<u64>()
        };
        let mut errors: Vec<u64> = self.0.kept().iter().map(of).collect();
        errors.sort_unstable();
        errors.get(errors.len() / 2).map_or(f64::INFINITY, |&ns| ns as f64)
    }
}

/// When each came and left, by place.
fn stay(members: &[Member], places: &[u32]) -> Option<(Vec<u64>, Vec<u64>)> {
    let first_ns = members.iter().map(|m| m.end.start_ns).min()?;
    let (mut entries_ns, mut exits_ns) = (vec![None; members.len()], vec![None; members.len()]);
    for (member, &place) in members.iter().zip(places) {
        *entries_ns.get_mut(place as usize)? = Some(member.end.start_ns - first_ns);
        *exits_ns.get_mut(place as usize)? = Some(member.end.done_end_ns.saturating_sub(first_ns));
    }
    Some((entries_ns.into_iter().collect::<Option<_>>()?, exits_ns.into_iter().collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use mpiscope_model::simulation::{Curve, Data, Link, Shape};

    use super::*;

    /// Four ranks on two hosts: a message takes 1 µs within a host and 100 µs between hosts.
    fn network() -> Network {
        let link = |ns: f64| Link { transit: Curve::line(ns, 0.0), eager_bytes: u64::MAX, ..Link::default() };
        Network {
            port_of: vec![0, 0, 1, 1],
            ports: 2,
            link_of: vec![0, 1, 1, 0],
            links: vec![link(1e3), link(1e5)],
            ..Network::default()
        }
    }

    fn barrier() -> Kind {
        let members = [0, 1, 2, 3].into();
        Kind { shape: Shape::AllToAll, data: Data::Nothing, function: 0, members, root: 0, bytes: 0, present: 4 }
    }

    /// Operations to which members come at these moments, as an algorithm makes them.
    fn stays(algorithm: Algorithm, factor: f64) -> Stays {
        let mut operation = Operation::new(&network(), 0, &barrier()).unwrap();
        operation.set(algorithm, factor);
        let entries = [vec![0, 5_000, 100_000, 110_000], vec![0, 0, 0, 0], vec![50_000, 0, 400_000, 7_000]];
        let mut stays = Stays::default();
        for entries_ns in entries {
            let exits_ns = operation.exits_ns(&entries_ns);
            stays.0.push(|| Some((entries_ns, exits_ns)));
        }
        stays
    }

    #[test]
    fn the_algorithm_follows_from_when_members_leave() {
        let mut operation = Operation::new(&network(), 0, &barrier()).unwrap();
        for (algorithm, factor) in [(Algorithm::Linear, 3.0), (Algorithm::RecursiveDoubling, 0.5)] {
            operation.set(algorithm, factor);
            let own_ns = operation.at_once_ns();
            let found = stays(algorithm, factor).explain(&network(), (0, &barrier()), own_ns).unwrap();
            assert_eq!(found.algorithm, algorithm);
            assert!((found.factor / factor - 1.0).abs() < 0.05, "{found:?}");
            assert!(found.others.iter().all(|(other, _)| *other != algorithm), "{found:?}");
        }
    }

    #[test]
    fn where_all_come_at_once_any_algorithm_may_be_it() {
        let mut stays = Stays::default();
        (0..3).for_each(|_| stays.0.push(|| Some((vec![0; 4], vec![200_000; 4]))));
        let found = stays.explain(&network(), (0, &barrier()), 200_000.0).unwrap();
        assert_eq!(found.algorithm, Algorithm::usual(&barrier()));
        assert!(found.others.iter().any(|(other, _)| *other == Algorithm::Linear), "{found:?}");
    }

    #[test]
    fn nothing_follows_from_no_operation() {
        assert_eq!(Stays::default().effort(), 0);
        let alone = Kind { members: [0].into(), present: 1, ..barrier() };
        assert_eq!(stays(Algorithm::Linear, 1.0).explain(&network(), (0, &alone), 1.0), None);
    }
}
