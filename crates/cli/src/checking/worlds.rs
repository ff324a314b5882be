//! Assigns processes to their `MPI_COMM_WORLD` while they start, by the same rules as `mpiscope_run::worlds` afterwards: by
//! the namespace in which the launcher started a process, or the proxy that spawned it.

use std::collections::HashMap;

use mpiscope_trace::defs::Definition;

/// Process numbers of other worlds begin after the first world's ranks, and not below this.
const FIRST_NUMBER: u32 = 1 << 10;

/// Properties that the processes of one world share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Common {
    is_spawned: bool,
    namespace: String,
    size: u32,
    /// Host and proxy of spawned processes without a namespace.
    parent: Option<(String, String)>,
    /// Number of earlier processes with the same properties and rank: programs that follow each other in one job.
    earlier: u32,
}

/// A process's world and rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldPosition {
    /// 0 for the first world.
    pub world: u32,
    pub rank: u32,
    /// 0 if unknown.
    pub size: u32,
    pub is_spawned: bool,
    /// The judge's number of the process; those of a world are consecutive.
    pub number: u32,
}

impl WorldPosition {
    /// The name of the process in sentences.
    pub fn name(&self) -> String {
        called(self.rank, self.world, self.is_spawned)
    }
}

/// The name of a process in sentences.
pub fn called(rank: u32, world: u32, is_spawned: bool) -> String {
    match (world, is_spawned) {
        (0, _) => format!("rank {rank}"),
        (world, true) => format!("rank {rank} of spawned world {world}"),
        (world, false) => format!("rank {rank} of world {world}"),
    }
}

/// The worlds of a run.
#[derive(Default)]
pub struct Worlds {
    known: HashMap<Common, (u32, u32)>,
    taken: HashMap<(Common, u32), u32>,
    places: HashMap<u32, WorldPosition>,
    next_number: u32,
    has_first: bool,
    first_size: u32,
    /// Worlds other than the first.
    others: u32,
}

impl Worlds {
    /// Adds a process that has initialized MPI with this rank in a world of this size; `info` are its own facts.
    pub fn place(&mut self, rank: u32, size: u32, definitions: &[Definition]) -> WorldPosition {
        let info = |wanted: &str| {
            definitions.iter().find_map(|definition| match definition {
                Definition::Info { key, value } if key == wanted => Some(value.clone()),
                _ => None,
            })
        };
        let namespace = info("world.namespace").unwrap_or_default();
        let is_spawned = info("world.spawned").is_some();
        let by_parent = is_spawned && namespace.is_empty();
        let parent = by_parent.then(|| (info("host").unwrap_or_default(), info("parent_pid").unwrap_or_default()));
        let mut common = Common { is_spawned, namespace, size, parent, earlier: 0 };
        let before = self.taken.entry((common.clone(), rank)).or_insert(0);
        common.earlier = *before;
        *before += 1;
        let (world, first) = match self.known.get(&common) {
            Some(&known) => known,
            None => {
                // Spawned processes are never in the first world, even if they are found before its processes.
                let made = match is_spawned || self.has_first {
                    true => {
                        self.others += 1;
                        (self.others, self.numbers_for(size))
                    }
                    false => {
                        (self.has_first, self.first_size) = (true, size);
                        (0, 0)
                    }
                };
                self.known.insert(common, made);
                made
            }
        };
        let place = WorldPosition { world, rank, size, is_spawned, number: first.saturating_add(rank) };
        self.places.insert(place.number, place);
        place
    }

    /// Adds an unknown process, in a separate world.
    pub fn unknown(&mut self) -> WorldPosition {
        self.others += 1;
        let place =
            WorldPosition { world: self.others, rank: 0, size: 0, is_spawned: false, number: self.numbers_for(1) };
        self.places.insert(place.number, place);
        place
    }

    /// World and rank of the process with this number.
    pub fn position_of(&self, number: u32) -> Option<WorldPosition> {
        self.places.get(&number).copied()
    }

    fn numbers_for(&mut self, size: u32) -> u32 {
        let first = self.next_number.max(FIRST_NUMBER).max(self.first_size.saturating_add(1));
        // A gap of one, so that ranks of two worlds are never consecutive.
        self.next_number = first.saturating_add(size.max(1)).saturating_add(1);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(namespace: &str, spawned: bool, parent: &str) -> Vec<Definition> {
        let all = [
            ("world.namespace", namespace),
            ("world.spawned", if spawned { "1" } else { "" }),
            ("host", "n1"),
            ("parent_pid", parent),
        ];
        let some = all.into_iter().filter(|(_, value)| !value.is_empty());
        some.map(|(key, value)| Definition::Info { key: key.into(), value: value.into() }).collect()
    }

    #[test]
    fn ranks_of_a_world_follow_each_other() {
        let mut worlds = Worlds::default();
        let mut at = |rank, size, space, spawned| {
            let place = worlds.place(rank, size, &facts(space, spawned, "70"));
            (place.world, place.number)
        };
        assert_eq!(at(0, 2, "a", false), (0, 0));
        assert_eq!(at(1, 3, "b", true), (1, 1025));
        assert_eq!(at(1, 2, "a", false), (0, 1));
        assert_eq!(at(0, 1, "c", true), (2, 1028));
        assert_eq!((at(0, 3, "b", true), at(2, 3, "b", true)), ((1, 1024), (1, 1026)));
    }

    #[test]
    fn those_of_a_proxy_belong_together_and_the_next_program_is_another_world() {
        let mut worlds = Worlds::default();
        let mut at = |rank, spawned, parent| worlds.place(rank, 2, &facts("", spawned, parent)).world;
        assert_eq!([at(0, false, "5"), at(1, false, "6"), at(1, false, "8"), at(0, false, "9")], [0, 0, 1, 1]);
        assert_eq!([at(0, true, "70"), at(0, true, "80"), at(1, true, "80"), at(1, true, "70")], [2, 3, 3, 2]);
    }

    #[test]
    fn a_spawned_world_is_never_the_first() {
        let mut worlds = Worlds::default();
        let spawned = worlds.place(0, 1, &facts("b", true, ""));
        let first = worlds.place(0, 1, &facts("a", false, ""));
        assert_eq!((spawned.world, spawned.number, first.world, first.number), (1, 1024, 0, 0));
    }
}
