//! Which two ranks are measured: one pair for each distance that occurs.

use std::collections::BTreeMap;

use mpiscope_machine::{Pair, RankPlace};
use mpiscope_run::{CpuPlace, Hosts, PeerClass};

use crate::hops::Hops;

/// How far any two ranks are from each other: their class, and on different hosts the number of hops, as far as they are known.
pub struct Distances<'a> {
    ranks: &'a [RankPlace],
    places: Vec<CpuPlace>,
    hops: Option<&'a Hops>,
}

impl<'a> Distances<'a> {
    pub fn new(hosts: &Hosts, ranks: &'a [RankPlace], hops: Option<&'a Hops>) -> Distances<'a> {
        let places = ranks.iter().map(|rank| hosts.place_of(&rank.host, &rank.cpus)).collect();
        Distances { ranks, places, hops }
    }

    fn between(&self, i: usize, j: usize) -> (PeerClass, Option<u32>) {
        let place = |at: usize| (self.ranks[at].host.as_str(), &self.places[at]);
        let class = PeerClass::between(place(i), place(j));
        (class, self.hops.filter(|_| class == PeerClass::OtherNode).map(|hops| hops.between(i, j)))
    }

    /// Which of these pairs is as far apart as two ranks.
    pub fn like(&self, [a, b]: [i32; 2], pairs: &[Pair]) -> Option<usize> {
        let at = |rank: i32| self.ranks.iter().position(|place| place.rank == rank);
        let (class, hops) = self.between(at(a)?, at(b)?);
        pairs.iter().position(|pair| pair.class == class.id() && pair.hops == hops)
    }
}

/// The first pair of each distance, the closest class first.
pub fn pairs(distances: &Distances) -> Vec<Pair> {
    let ranks = distances.ranks;
    let mut found: BTreeMap<(PeerClass, Option<u32>), [i32; 2]> = BTreeMap::new();
    for (i, a) in ranks.iter().enumerate() {
        for (j, b) in ranks.iter().enumerate().skip(i + 1) {
            found.entry(distances.between(i, j)).or_insert([a.rank, b.rank]);
        }
    }
    let pair = |((class, hops), ranks): ((PeerClass, _), _)| Pair { class: class.id().to_owned(), hops, ranks };
    found.into_iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_run::topology::Topology;

    /// Hosts with two packages, four caches and eight cores each.
    fn hosts(names: &[&str]) -> Hosts {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("nodes")).unwrap();
        for host in names {
            let text = format!(
                r#"{{"format":1,"host":"{host}","cpus":"0-7","packages":["0-3","4-7"],"numa":{{"0":"0-3","1":"4-7"}},"l3":["0-1","2-3","4-5","6-7"],"cores":[]}}"#
            );
            std::fs::write(dir.path().join(format!("nodes/{host}.json")), text).unwrap();
        }
        let (hosts, problems) = Hosts::read(dir.path());
        assert!(problems.is_empty());
        hosts
    }

    fn rank(rank: i32, host: &str, cpus: &str) -> RankPlace {
        RankPlace { rank, host: host.into(), cpus: cpus.into() }
    }

    #[test]
    fn one_pair_of_each_class() {
        let ranks = [rank(0, "a", "0"), rank(1, "a", "1"), rank(2, "a", "3"), rank(3, "a", "7"), rank(4, "b", "0")];
        let hosts = hosts(&["a", "b"]);
        let distances = Distances::new(&hosts, &ranks, None);
        let found = pairs(&distances);
        assert_eq!(distances.like([2, 4], &found), Some(3));
        assert_eq!((distances.like([3, 4], &found), distances.like([2, 3], &found)), (Some(3), Some(2)));
        assert_eq!((distances.like([0, 1], &found[1..]), distances.like([0, 9], &found)), (None, None));
        let found: Vec<(&str, [i32; 2])> = found.iter().map(|pair| (pair.class.as_str(), pair.ranks)).collect();
        assert_eq!(found, [("same-l3", [0, 1]), ("same-numa", [0, 2]), ("same-node", [0, 3]), ("other-node", [0, 4])]);
    }

    #[test]
    fn one_pair_of_each_number_of_hops() {
        let names = ["a", "b", "c", "d", "e"];
        let mut ranks: Vec<RankPlace> = (0..).zip(names).map(|(at, host)| rank(at, host, "0")).collect();
        ranks.push(rank(5, "a", "1"));
        let text = "[torus]\nshape = [5]\n[nodes]\nhosts = [\"a\", \"c\", \"b\", \"d\", \"e\"]";
        let hops = {
            let hosts: Vec<String> = ranks.iter().map(|rank| rank.host.clone()).collect();
            Hops::new(Topology::parse(text).unwrap(), &hosts).unwrap()
        };
        let found = pairs(&Distances::new(&hosts(&names), &ranks, Some(&hops)));
        let found: Vec<(&str, Option<u32>, [i32; 2])> =
            found.iter().map(|pair| (pair.class.as_str(), pair.hops, pair.ranks)).collect();
        // On the ring a, c, b, d, e the neighbours of a are c and e.
        assert_eq!(
            found,
            [("same-l3", None, [0, 5]), ("other-node", Some(1), [0, 2]), ("other-node", Some(2), [0, 1])]
        );
    }
}
