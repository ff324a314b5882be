//! Worlds of a run: `MPI_Comm_spawn` creates further ones, and several programs may follow each other in one job. Each world
//! numbers its ranks from 0, so tables are of one world.
//!
//! A process records the namespace in which its launcher started it (PMIx), or that it was spawned and by which proxy (Hydra).
//! If two processes with the same rank agree in that, the later one belongs to a later world.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::run::Rank;

/// One `MPI_COMM_WORLD`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WorldRow {
    /// 0 for the world that started first; spawned ones follow.
    pub world: u64,
    /// Size of its `MPI_COMM_WORLD`; 0 unknown.
    pub size: u64,
    /// Processes of it in the run.
    pub ranks: u64,
    /// Whether MPI started it.
    pub spawned: bool,
    /// Command line of one of its processes.
    pub command: String,
    /// Calls of its processes.
    pub calls: u64,
}

/// Properties that the processes of one world share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Common {
    spawned: bool,
    namespace: String,
    size: i32,
    /// Host and proxy, of spawned processes without a namespace.
    parent: Option<(String, String)>,
    /// Number of earlier processes with the same properties and rank.
    earlier: usize,
}

/// Assigns each process to its world, and returns the worlds.
pub fn assign(ranks: &mut [Rank]) -> Vec<WorldRow> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|&at| ranks[at].header.anchors[0].realtime_ns);
    let mut seen: BTreeMap<(Common, i32), usize> = BTreeMap::new();
    let mut groups: Vec<(Common, Vec<usize>)> = Vec::new();
    for at in order {
        let rank = &ranks[at];
        let mut common = common(rank);
        if rank.rank() < 0 {
            // It ended before its rank was known: it belongs to the first world with its properties.
            let like = groups.iter_mut().find(|(c, _)| {
                (c.spawned, &c.namespace, &c.parent) == (common.spawned, &common.namespace, &common.parent)
            });
            match like {
                Some(group) => group.1.push(at),
                None => groups.push((common, vec![at])),
            }
            continue;
        }
        let earlier = seen.entry((common.clone(), rank.rank())).or_default();
        common.earlier = *earlier;
        *earlier += 1;
        match groups.iter_mut().find(|(c, _)| *c == common) {
            Some(group) => group.1.push(at),
            None => match groups.iter_mut().find(|(c, members)| belongs(ranks, c, members, &common, at)) {
                Some(group) => group.1.push(at),
                None => groups.push((common, vec![at])),
            },
        }
    }
    // Groups are in the order of their first process.
    groups.sort_by_key(|(common, _)| common.spawned);
    let mut worlds = Vec::new();
    for (number, (common, members)) in groups.iter().enumerate() {
        for &at in members {
            ranks[at].world = number as u64;
        }
        let all = || members.iter().map(|&at| &ranks[at]);
        worlds.push(WorldRow {
            world: number as u64,
            size: all().map(|r| r.header.world_size.max(0) as u64).max().unwrap_or(0),
            ranks: members.len() as u64,
            spawned: common.spawned,
            command: all().find_map(|r| r.defs.info("command")).unwrap_or_default().to_owned(),
            calls: all().fold(0, |sum, r| sum.saturating_add(r.tally.all.calls)),
        });
    }
    worlds
}

fn common(rank: &Rank) -> Common {
    let info = |key| rank.defs.info(key).unwrap_or_default().to_owned();
    let (namespace, spawned) = (info("world.namespace"), rank.defs.info("world.spawned").is_some());
    let by_parent = spawned && namespace.is_empty();
    let parent = by_parent.then(|| (rank.host().to_owned(), info("parent_pid")));
    Common { spawned, namespace, size: rank.header.world_size, parent, earlier: 0 }
}

/// Whether a process without a group belongs to a group that processes on other hosts started: same size, and its rank is free.
fn belongs(ranks: &[Rank], group: &Common, members: &[usize], new: &Common, at: usize) -> bool {
    let (Some((host, _)), Some(_)) = (&new.parent, &group.parent) else {
        // A process of unknown rank has created the group, or only the size differs.
        let (a, b) = (Common { size: 0, earlier: 0, ..group.clone() }, Common { size: 0, earlier: 0, ..new.clone() });
        return a == b && new.earlier == 0 && members.iter().all(|&m| ranks[m].rank() < 0);
    };
    let taken: BTreeSet<i32> = members.iter().map(|&m| ranks[m].rank()).collect();
    let elsewhere = members.iter().all(|&m| ranks[m].host() != host);
    group.size == new.size && elsewhere && !taken.contains(&ranks[at].rank())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_trace::testing::Builder;

    /// A process: rank, size, facts.
    fn process(rank: i32, size: i32, facts: &[(&str, &str)]) -> Rank {
        let mut file = Builder::new(rank, size);
        for (key, value) in facts {
            file.info(key, value);
        }
        Rank::read("x.rank".as_ref(), file.bytes().as_slice()).unwrap()
    }

    fn numbers(ranks: &mut [Rank]) -> Vec<u64> {
        assign(ranks);
        ranks.iter().map(|r| r.world).collect()
    }

    #[test]
    fn namespaces_are_worlds() {
        let space = |name| [("world.namespace", name), ("world.spawned", if name == "a" { "" } else { "1" })];
        let mut ranks =
            [("b", 0), ("a", 0), ("b", 1), ("a", 1), ("c", 0)].map(|(name, rank)| process(rank, 2, &space(name)));
        assert_eq!(numbers(&mut ranks), [1, 0, 1, 0, 2]);
    }

    #[test]
    fn spawned_ones_of_a_proxy_belong_together_also_across_hosts() {
        let facts = |host, parent| [("world.spawned", "1"), ("host", host), ("parent_pid", parent)];
        let mut ranks = [
            process(0, 1, &[]),
            process(0, 2, &facts("n1", "70")),
            process(0, 2, &facts("n1", "80")),
            process(1, 2, &facts("n1", "80")),
            process(1, 2, &facts("n2", "50")),
        ];
        assert_eq!(numbers(&mut ranks), [0, 1, 2, 2, 1]);
    }

    #[test]
    fn programs_after_each_other_are_worlds_and_the_unborn_join_the_first() {
        let mut ranks = [0, 1, 0, 1].map(|rank| process(rank, 2, &[])).into_iter().collect::<Vec<_>>();
        ranks.push(process(-1, 0, &[]));
        assert_eq!(numbers(&mut ranks), [0, 0, 1, 1, 0]);
        // Nothing but processes that never knew.
        let mut ranks = [process(-1, 0, &[]), process(0, 1, &[])];
        assert_eq!(numbers(&mut ranks), [0, 0]);
    }
}
