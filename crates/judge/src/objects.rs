//! What ids of each process stand for, and what is the same in several of them.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use mpiscope_abi::id;
use mpiscope_abi::role::{Role, role};
use mpiscope_trace::defs::{self, Definition, MOST_NEIGHBORS, Run};
use rustc_hash::{FxHashMap, FxHasher};

use crate::Introduction;
use crate::signature::{Datatype, Signature, Signatures};

/// Most members of a group that are spelled out: a few bytes of a damaged file may stand for a billion of them.
const MOST_MEMBERS: usize = 1 << 22;

/// A communicator across processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    World(u32),
    Own(u32),
    /// In a world: membership and ordinal.
    Made(u32, u64, u32),
    /// With processes of several worlds: all of them, how many are in the first group, whether there are two, and how many
    /// communicators of these there were before.
    Spanning(Members, usize, bool, u32),
}

/// One side of worlds that meet, the same for all of its processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// The callers: the processes, the number of their peers, and how often they had this number of peers before.
    Callers(Members, i32, u32),
    /// A world that was spawned, and its parents.
    Spawned(u32),
}

/// An intercommunicator by which a process has met others.
#[derive(Clone)]
pub(crate) struct Meeting {
    pub id: u32,
    pub created_by: u32,
    pub parent: u32,
    pub side: Side,
}

/// Processes in the order of their ranks.
pub(crate) type Members = Arc<[u32]>;

/// What is common to all members of a communicator.
pub(crate) struct Comm {
    pub name: String,
    /// All members; of an intercommunicator the group with the lowest process first.
    pub members: Members,
    /// Members of the first group of an intercommunicator.
    pub first_group: usize,
    pub is_inter: bool,
    /// Some of its members are unknown: nothing can be concluded.
    pub foreign: bool,
    /// Its processes are of several worlds.
    pub is_spanning: bool,
}

/// One process's view of it.
#[derive(Clone)]
pub(crate) struct LocalComm {
    pub number: u32,
    /// Whom ranks of sources and destinations name: the remote group of an intercommunicator.
    pub peers: Members,
    /// Place of this process among [`Comm::members`].
    pub place: u32,
    pub topology: Option<Arc<Topology>>,
    pub foreign: bool,
}

/// Neighbours of a process in a Cartesian communicator, in the order of neighbourhood collective operations; −1: none.
pub(crate) struct Topology {
    /// Ranks that a process receives from, in their order.
    pub sources: Vec<i32>,
    /// Ranks that it sends to.
    pub destinations: Vec<i32>,
    is_grid: bool,
}

impl Topology {
    /// Which of the sources of `taker` the `k`-th destination of `giver` is; both with their ranks (MPI-5.0 §8.6).
    pub fn edge(&self, k: usize, giver: i32, taker: (i32, &Topology)) -> Option<usize> {
        // What goes to the one before comes from the one after.
        if self.is_grid {
            return Some(k ^ 1);
        }
        // Where two have several edges, these are in one order at both ends.
        let earlier = self.destinations.get(..k)?.iter().filter(|&&r| r == taker.0).count();
        let from = taker.1.sources.iter().enumerate().filter(|(_, r)| **r == giver);
        from.map(|(at, _)| at).nth(earlier)
    }
}

/// A window or file as a process has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    /// The same in all processes of its communicator: the communicator and how many were made before.
    pub identity: (u32, u32),
    /// The process's id of its communicator.
    pub comm: u32,
}

/// What a process has defined.
#[derive(Default)]
pub(crate) struct Local {
    pub introduction: Option<Introduction>,
    pub comms: Vec<Option<LocalComm>>,
    pub datatypes: Vec<Option<Datatype>>,
    /// Names of operations, as far as all processes can have the same ones.
    pub ops: FxHashMap<u32, Arc<str>>,
    pub windows: FxHashMap<u32, Shared>,
    pub files: FxHashMap<u32, Shared>,
    windows_of: FxHashMap<u32, u32>,
    files_of: FxHashMap<u32, u32>,
    /// Start, end, base and name of mapped objects.
    modules: Vec<(u64, u64, u64, u64)>,
    sites: Vec<u64>,
    pub meetings: Vec<Meeting>,
    /// How often it has met so many others with these, and how many communicators of several worlds it has by their members.
    met: FxHashMap<(Members, i32), u32>,
    spanning: FxHashMap<(Members, usize, bool), u32>,
}

/// Ids beyond this are a damaged file's.
const MOST_IDS: usize = 1 << 22;

fn slot<T: Clone + Default>(list: &mut Vec<T>, id: u32) -> Option<&mut T> {
    let id = id as usize;
    if id >= MOST_IDS {
        return None;
    }
    if list.len() <= id {
        list.resize(id + 1, T::default());
    }
    list.get_mut(id)
}

/// All of a run.
#[derive(Default)]
pub(crate) struct Objects {
    pub local: Vec<Local>,
    pub comms: Vec<Comm>,
    pub signatures: Signatures,
    numbers: FxHashMap<Key, u32>,
    groups: FxHashMap<(u32, Vec<Run>), Members>,
    /// Of each world the number of its first process, and its size.
    worlds: FxHashMap<u32, (u32, u32)>,
    /// There are others beside the first one.
    has_worlds: bool,
    /// Whom the processes of a side have met.
    others: FxHashMap<Side, Members>,
    /// Communicators with processes of other worlds that are not known yet, in the order of their definitions.
    unresolved: Vec<(u32, defs::Comm)>,
}

/// By a call that meets processes of another world, or by what these have.
fn is_meeting(created_by: u32) -> bool {
    created_by == id::Comm_get_parent || (created_by != id::Comm_join && role(created_by) == Role::Meet)
}

impl Objects {
    pub fn process(&mut self, process: u32) -> &mut Local {
        let at = process as usize;
        if self.local.len() <= at {
            self.local.resize_with(at + 1, Local::default);
        }
        &mut self.local[at]
    }

    pub fn introduce(&mut self, process: u32, who: Introduction) {
        self.process(process).introduction = Some(who);
        self.has_worlds |= who.world != 0;
        if let Some(first) = u32::try_from(who.rank).ok().and_then(|rank| process.checked_sub(rank)) {
            self.worlds.entry(who.world).or_insert((first, who.size));
        }
    }

    pub fn world(&self, process: u32) -> u32 {
        self.local.get(process as usize).and_then(|l| l.introduction).map_or(0, |i| i.world)
    }

    /// The process with a rank in a world; none for those outside of it.
    fn with_rank(&self, world: u32, rank: i32) -> Option<u32> {
        let rank = u32::try_from(rank).ok()?;
        match self.worlds.get(&world) {
            Some(&(first, size)) if world != 0 => first.checked_add(rank).filter(|_| rank < size),
            _ => (world == 0).then_some(rank),
        }
    }

    /// The process with a rank in the world of another one.
    pub fn fellow(&self, process: u32, rank: i32) -> Option<u32> {
        self.with_rank(self.world(process), rank)
    }

    /// The processes of a group, as a process of it has them; whether some are not known.
    fn members(&mut self, process: u32, group: &[Run], parent: u32) -> (Members, bool) {
        let world = self.world(process);
        if let Some(members) = self.groups.get(&(world, group.to_vec())) {
            return (members.clone(), members.contains(&u32::MAX));
        }
        let mut list: Vec<u32> = Vec::new();
        let mut is_elsewhere = false;
        for run in group {
            for k in 0..run.count.min((MOST_MEMBERS - list.len()) as u32) {
                let rank = run.rank(k);
                let found = match defs::place_elsewhere(rank) {
                    Some(place) => {
                        is_elsewhere = true;
                        let of = self.local_comm(process, parent).filter(|of| !of.foreign);
                        of.and_then(|of| of.peers.get(place as usize)).copied()
                    }
                    None => self.with_rank(world, rank),
                };
                list.push(found.unwrap_or(u32::MAX));
            }
        }
        let members: Members = list.into();
        let foreign = members.contains(&u32::MAX);
        if !is_elsewhere {
            self.groups.insert((world, group.to_vec()), members.clone());
        }
        (members, foreign)
    }

    /// The side of a process in a meeting of worlds that this communicator comes from; none if it does not, or if its own
    /// group is not known.
    fn side(&mut self, process: u32, comm: &defs::Comm, group: &Members) -> Option<Side> {
        if !is_meeting(comm.created_by) || group.contains(&u32::MAX) || comm.remote_size <= 0 {
            return None;
        }
        let world = self.world(process);
        let local = self.process(process);
        if let Some(known) = local.meetings.iter().find(|meeting| meeting.id == comm.id) {
            return Some(known.side.clone());
        }
        let side = match comm.created_by {
            id::Comm_get_parent => Side::Spawned(world),
            _ => {
                let before = local.met.entry((group.clone(), comm.remote_size)).or_insert(0);
                *before += 1;
                Side::Callers(group.clone(), comm.remote_size, *before - 1)
            }
        };
        local.meetings.push(Meeting {
            id: comm.id,
            created_by: comm.created_by,
            parent: comm.parent,
            side: side.clone(),
        });
        Some(side)
    }

    /// The processes of a side have met these.
    pub fn meet(&mut self, side: Side, others: Members) {
        self.others.insert(side, others);
    }

    /// Communicators of those that have met since.
    pub fn resolve(&mut self) {
        for (process, comm) in std::mem::take(&mut self.unresolved) {
            self.comm(process, &comm);
        }
    }

    fn comm(&mut self, process: u32, comm: &defs::Comm) {
        let world = self.world(process);
        let (group, unknown) = self.members(process, &comm.group, comm.parent);
        let (mut remote, mut far) = self.members(process, &comm.remote_group, comm.parent);
        if let Some(side) = self.side(process, comm, &group)
            && let Some(others) = self.others.get(&side)
        {
            (remote, far) = (others.clone(), false);
        }
        let is_inter = comm.remote_size > 0;
        // Groups that are not all there: nothing to compare with.
        let foreign = unknown
            || far
            || group.is_empty()
            || group.len() as i64 != i64::from(comm.size)
            || remote.len() as i64 != i64::from(comm.remote_size)
            || !group.contains(&process);
        if unknown || far {
            self.unresolved.push((process, comm.clone()));
        }
        let first = !is_inter || group.iter().min() < remote.iter().min();
        let members: Members = match (is_inter, first) {
            (false, _) => group.clone(),
            (true, true) => group.iter().chain(remote.iter()).copied().collect(),
            (true, false) => remote.iter().chain(group.iter()).copied().collect(),
        };
        let first_group = if first { group.len() } else { remote.len() };
        let is_spanning = !foreign && self.has_worlds && members.iter().any(|&member| self.world(member) != world);
        let key = match comm.id {
            1 => Key::World(world),
            2 => Key::Own(process),
            _ if is_spanning => {
                let of = (members.clone(), first_group, is_inter);
                let before = self.process(process).spanning.entry(of).or_insert(0);
                *before += 1;
                Key::Spanning(members.clone(), first_group, is_inter, *before - 1)
            }
            _ => Key::Made(world, comm.membership, comm.ordinal),
        };
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None => {
                let name = match comm.id {
                    1 => "MPI_COMM_WORLD".to_owned(),
                    2 => "MPI_COMM_SELF".to_owned(),
                    _ if is_spanning && is_inter => {
                        format!("an intercommunicator of {} and {} processes", first_group, members.len() - first_group)
                    }
                    _ => format!("a communicator of {} processes", members.len()),
                };
                self.comms.push(Comm { name, members, first_group, is_inter, foreign, is_spanning });
                self.numbers.insert(key, self.comms.len() as u32 - 1);
                self.comms.len() as u32 - 1
            }
        };
        let shared = &mut self.comms[number as usize];
        shared.foreign |= foreign;
        let foreign = shared.foreign;
        let place = shared.members.iter().position(|&m| m == process).unwrap_or(0) as u32;
        let peers = if is_inter { remote } else { group };
        let topology = match comm.topology {
            1 if !comm.dims.is_empty() => Some(Arc::new(cartesian(&comm.dims))),
            2 | 3 => {
                let (sources, destinations) = (spelled(&comm.sources), spelled(&comm.destinations));
                Some(Arc::new(Topology { sources, destinations, is_grid: false }))
            }
            _ => None,
        };
        let local = LocalComm { number, peers, place, topology, foreign };
        if let Some(slot) = slot(&mut self.process(process).comms, comm.id) {
            *slot = Some(local);
        }
    }

    pub fn define(&mut self, process: u32, definition: &Definition) {
        match definition {
            Definition::Comm(comm) => self.comm(process, comm),
            Definition::CommName { id, name } => {
                if let Some(number) = self.local_comm(process, *id).map(|c| c.number)
                    && !name.is_empty()
                {
                    self.comms[number as usize].name.clone_from(name);
                }
            }
            Definition::Datatype { id, size, extent, name, .. } => {
                let datatype = self.signatures.datatype(name, *size, *extent);
                if let Some(slot) = slot(&mut self.process(process).datatypes, *id) {
                    *slot = Some(datatype);
                }
            }
            Definition::TypeMap { id, map } => {
                self.process(process);
                let datatypes = &mut self.local[process as usize].datatypes;
                let Some(mut datatype) = datatypes.get_mut(*id as usize).and_then(Option::take) else { return };
                let part = |id: u32| datatypes.get(id as usize).and_then(Option::as_ref);
                self.signatures.set_map(&mut datatype, map, part);
                datatypes[*id as usize] = Some(datatype);
            }
            Definition::Op { id, name } => {
                let name = if name.starts_with("MPI_") { name } else { "a user-defined operation" };
                self.process(process).ops.insert(*id, name.into());
            }
            Definition::Window { id, comm, .. } => {
                let shared = self.shared(process, *comm, true);
                self.process(process).windows.insert(*id, shared);
            }
            Definition::File { id, comm, .. } => {
                let shared = self.shared(process, *comm, false);
                self.process(process).files.insert(*id, shared);
            }
            Definition::Module { base, start, end, build_id, path, .. } => {
                let mut hasher = FxHasher::default();
                (build_id, path).hash(&mut hasher);
                self.process(process).modules.push((*start, *end, *base, hasher.finish()));
            }
            Definition::Site { id, frames } => {
                let local = self.process(process);
                let mut hasher = FxHasher::default();
                for &frame in frames {
                    match local.modules.iter().rev().find(|(start, end, ..)| (*start..*end).contains(&frame)) {
                        Some((_, _, base, name)) => (name, frame.wrapping_sub(*base)).hash(&mut hasher),
                        None => frame.hash(&mut hasher),
                    }
                }
                let key = hasher.finish();
                if let Some(slot) = slot(&mut local.sites, *id) {
                    *slot = key;
                }
            }
            _ => {}
        }
    }

    fn shared(&mut self, process: u32, comm: u32, window: bool) -> Shared {
        let number = self.local_comm(process, comm).map_or(u32::MAX, |c| c.number);
        let local = self.process(process);
        let made = if window { &mut local.windows_of } else { &mut local.files_of };
        let ordinal = made.entry(number).or_insert(0);
        *ordinal += 1;
        Shared { identity: (number, *ordinal), comm }
    }

    pub fn local_comm(&self, process: u32, id: u32) -> Option<&LocalComm> {
        self.local.get(process as usize)?.comms.get(id as usize)?.as_ref()
    }

    pub fn datatype(&self, process: u32, id: u32) -> Option<&Datatype> {
        self.local.get(process as usize)?.datatypes.get(id as usize)?.as_ref()
    }

    /// The signature of data that a process names.
    pub fn signature(&self, process: u32, datatype: u32, count: u64) -> Option<Signature> {
        Some(self.signatures.signature_of(self.datatype(process, datatype)?, count))
    }

    /// A call site in all processes.
    pub fn site_key(&self, process: u32, site: u32) -> u64 {
        let found = self.local.get(process as usize).and_then(|l| l.sites.get(site as usize)).copied();
        match found {
            Some(key) if key != 0 => key,
            // Without its addresses a site is what all processes number alike.
            _ => u64::from(site),
        }
    }

    /// A moment of a process, ns.
    pub fn moment_ns(&self, process: u32, ticks: u64) -> i128 {
        match self.local.get(process as usize).and_then(|l| l.introduction) {
            Some(i) => {
                i128::from(i.zero_ns)
                    + (i128::from(ticks) - i128::from(i.zero_ticks)) * 1_000_000_000 / i128::from(i.ticks_per_s.max(1))
            }
            None => ticks.into(),
        }
    }

    pub fn is_multiple(&self, process: u32) -> bool {
        self.local.get(process as usize).and_then(|l| l.introduction).is_some_and(|i| i.multiple)
    }
}

/// Neighbours one by one; those that write them leave longer lists out.
fn spelled(runs: &[Run]) -> Vec<i32> {
    runs.iter().copied().flat_map(Run::ranks).take(MOST_NEIGHBORS).collect()
}

/// Neighbours by the rank arithmetic of MPI-5.0 §8.5: for each dimension the one before and the one after.
fn cartesian(dims: &[(u32, bool, u32)]) -> Topology {
    let mut neighbours = Vec::with_capacity(2 * dims.len());
    for (at, &(extent, periodic, coordinate)) in dims.iter().enumerate() {
        for step in [-1i64, 1] {
            let mut moved = i64::from(coordinate) + step;
            if periodic && extent > 0 {
                moved = moved.rem_euclid(extent.into());
            }
            let inside = (0..i64::from(extent)).contains(&moved);
            let rank = dims.iter().enumerate().fold(0i64, |rank, (d, &(extent, _, own))| {
                rank.wrapping_mul(extent.into()).wrapping_add(if d == at { moved } else { own.into() })
            });
            neighbours.push(if inside { i32::try_from(rank).unwrap_or(-1) } else { -1 });
        }
    }
    Topology { sources: neighbours.clone(), destinations: neighbours, is_grid: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_a_grid() {
        // Rank 4 in the middle of 3 × 3; rank 0 at a corner, the first dimension periodic.
        assert_eq!(cartesian(&[(3, false, 1), (3, false, 1)]).destinations, [1, 7, 3, 5]);
        assert_eq!(cartesian(&[(3, true, 0), (3, false, 0)]).destinations, [6, 3, -1, 1]);
    }
}
