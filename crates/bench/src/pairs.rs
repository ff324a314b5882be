//! Which two ranks are measured: one pair for each distance that occurs.

use std::collections::BTreeMap;

use mpiscope_machine::{Pair, RankPlace};
use mpiscope_run::{CpuPlace, Hosts, PeerClass};

/// The first pair of each class, the closest class first.
pub fn pairs(hosts: &Hosts, ranks: &[RankPlace]) -> Vec<Pair> {
    let places: Vec<CpuPlace> = ranks.iter().map(|rank| hosts.place_of(&rank.host, &rank.cpus)).collect();
    let mut found: BTreeMap<PeerClass, [i32; 2]> = BTreeMap::new();
    for (i, a) in ranks.iter().enumerate() {
        for (j, b) in ranks.iter().enumerate().skip(i + 1) {
            let class = PeerClass::between((&a.host, &places[i]), (&b.host, &places[j]));
            found.entry(class).or_insert([a.rank, b.rank]);
        }
    }
    found.into_iter().map(|(class, ranks)| Pair { class: class.id().to_owned(), ranks }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pair_of_each_class() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("nodes")).unwrap();
        for host in ["a", "b"] {
            let text = format!(
                r#"{{"format":1,"host":"{host}","cpus":"0-7","packages":["0-3","4-7"],"numa":{{"0":"0-3","1":"4-7"}},"l3":["0-1","2-3","4-5","6-7"],"cores":[]}}"#
            );
            std::fs::write(dir.path().join(format!("nodes/{host}.json")), text).unwrap();
        }
        let (hosts, problems) = Hosts::read(dir.path());
        assert!(problems.is_empty());
        let rank = |rank: i32, host: &str, cpus: &str| RankPlace { rank, host: host.into(), cpus: cpus.into() };
        let ranks = [rank(0, "a", "0"), rank(1, "a", "1"), rank(2, "a", "3"), rank(3, "a", "7"), rank(4, "b", "0")];
        let found = pairs(&hosts, &ranks);
        let found: Vec<(&str, [i32; 2])> = found.iter().map(|pair| (pair.class.as_str(), pair.ranks)).collect();
        assert_eq!(found, [("same-l3", [0, 1]), ("same-numa", [0, 2]), ("same-node", [0, 3]), ("other-node", [0, 4])]);
    }
}
