//! Communicators of a run, by number, and their members.

use std::collections::BTreeMap;

use mpiscope_run::{CommFacts, CommKey, Run};
use mpiscope_store::{CommId, CommRow, Neighbors, RankId};
use mpiscope_trace::defs::{Comm, Run as GroupRun};
use rustc_hash::FxHashMap;

/// Members of all communicators that are spelled out, and more for each rank: a few bytes of a damaged file may stand
/// for a billion of them.
const MOST_MEMBERS: usize = 1 << 20;
const MOST_MEMBERS_BY_RANK: usize = 1 << 12;

/// In [`Comm::topology`].
const GRAPH: u32 = 2;
const DISTRIBUTED_GRAPH: u32 = 3;

/// Numbers of communicators, and from each rank's own ids to them.
pub(crate) struct Comms {
    pub rows: Vec<CommRow>,
    /// By rank: local id → number.
    local: Vec<FxHashMap<u32, CommId>>,
    /// By rank: world rank → process. Worlds of spawned processes differ.
    worlds: Vec<usize>,
    ranks_of_world: Vec<FxHashMap<i32, RankId>>,
    /// Members that may still be spelled out.
    room: usize,
}

impl Comms {
    pub fn new(run: &Run) -> Comms {
        let worlds: Vec<usize> = run.ranks.iter().map(|rank| rank.world as usize).collect();
        let count = worlds.iter().max().map_or(0, |m| m + 1);
        let mut ranks_of_world = vec![FxHashMap::default(); count];
        for (at, rank) in run.ranks.iter().enumerate() {
            ranks_of_world[worlds[at]].entry(rank.rank()).or_insert(RankId(at as u32));
        }
        let room = MOST_MEMBERS + MOST_MEMBERS_BY_RANK * run.ranks.len();
        let mut comms = Comms { rows: Vec::new(), local: Vec::new(), worlds, ranks_of_world, room };
        let mut numbers: BTreeMap<(usize, CommKey), CommId> = BTreeMap::new();
        for (at, rank) in run.ranks.iter().enumerate() {
            let mut local = FxHashMap::default();
            for comm in rank.defs.comms.values().filter(|c| c.id != 2) {
                let key = CommKey::from_comm(comm);
                // `MPI_COMM_WORLD` of every world has the same key.
                let world = if key == CommKey::World { comms.worlds[at] } else { 0 };
                let number = *numbers.entry((world, key)).or_insert_with(|| {
                    let facts = CommFacts::from_comm(comm);
                    let label = rank.defs.comm_names.get(&comm.id).filter(|n| !n.is_empty()).cloned();
                    let row = comms.row(at, comm, key, label.unwrap_or(facts.label), facts.dims);
                    comms.room -= row.members.len();
                    comms.rows.push(row);
                    CommId(comms.rows.len() as u32 - 1)
                });
                comms.add_neighbors(comm, number);
                local.insert(comm.id, number);
            }
            comms.local.push(local);
        }
        comms
    }

    fn row(&self, rank: usize, comm: &Comm, key: CommKey, label: String, dims: Vec<(u32, bool)>) -> CommRow {
        let local = self.members(rank, &comm.group, self.room);
        let remote = self.members(rank, &comm.remote_group, self.room - local.len());
        let mut groups = [local, remote];
        if comm.remote_size > 0 && groups[1].iter().min() < groups[0].iter().min() {
            groups.swap(0, 1);
        }
        let (members, is_inter) = (groups.concat(), comm.remote_size > 0);
        CommRow { key: key.id(), label, members, is_inter, dims, neighbors: Vec::new() }
    }

    /// The neighbours of a member of a graph, where the recording has them.
    fn add_neighbors(&mut self, comm: &Comm, number: CommId) {
        if !matches!(comm.topology, GRAPH | DISTRIBUTED_GRAPH) {
            return;
        }
        let row = &mut self.rows[number.0 as usize];
        row.neighbors.resize(row.members.len(), None);
        let Some(own) = usize::try_from(comm.rank).ok().and_then(|at| row.neighbors.get_mut(at)) else { return };
        let count = |of: &[GroupRun]| of.iter().map(|run| run.count as usize).sum::<usize>();
        let (sources, destinations) = (count(&comm.sources), count(&comm.destinations));
        let is_whole = (sources, destinations) == (comm.indegree as usize, comm.outdegree as usize);
        if is_whole && sources.saturating_add(destinations) <= self.room {
            self.room -= sources + destinations;
            let list =
                |of: &[GroupRun]| of.iter().copied().flat_map(GroupRun::ranks).map(|rank| rank.max(0) as u32).collect();
            *own = Some(Neighbors { sources: list(&comm.sources), destinations: list(&comm.destinations) });
        }
    }

    /// The processes of a group, `room` of them at most.
    pub fn members(&self, rank: usize, group: &[GroupRun], room: usize) -> Vec<RankId> {
        let mut members = Vec::new();
        for run in group {
            let room = room - members.len();
            let ranks = (0..run.count.min(room.min(i32::MAX as usize) as u32) as i32)
                .map(|k| self.process(rank, run.start.wrapping_add(k.wrapping_mul(run.stride))));
            members.extend(ranks);
        }
        members
    }

    /// The process that `rank` calls world rank `world_rank`.
    pub fn process(&self, rank: usize, world_rank: i32) -> RankId {
        let of_world = &self.ranks_of_world[self.worlds[rank]];
        if world_rank < 0 { RankId::NONE } else { of_world.get(&world_rank).copied().unwrap_or(RankId::NONE) }
    }

    /// The communicator that `rank` calls `id`; none for `MPI_COMM_SELF` and unknown ones.
    pub fn number(&self, rank: usize, id: u32) -> CommId {
        self.local[rank].get(&id).copied().unwrap_or(CommId::NONE)
    }
}
