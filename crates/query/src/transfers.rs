//! What collective operations of a run move between ranks, from the sums of its calls: also without events, and of calls that rings have overwritten.

mod pairs;

use std::collections::BTreeMap;

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_ingest::{Ingest, Tables};
use mpiscope_model::simulation::{Algorithm, Data, Kind, Shape};
use mpiscope_place::Sent;
use mpiscope_predict::data_of_function;
use mpiscope_run::{Resolver, Run};
use mpiscope_store::{CallInfo, CommId, CommRow, flags};

use crate::QueryError;
use crate::collective_calls::block;
use pairs::transfers;

/// Pairs of members of one operation; all-to-all operations of more members are left out.
const MOST_PAIRS: usize = 1 << 22;

/// What collective operations move.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    /// Between neighbours of a topology: these pairs follow from the program.
    pub neighbors: Vec<Sent>,
    /// In other operations, by the algorithms that MPICH takes without settings.
    pub collectives: Vec<Sent>,
    /// Calls with data that are not counted here: persistent operations, those over intercommunicators, and those whose arguments the sums do not have.
    pub calls_left_out: u64,
}

/// Operations that differ in nothing that decides who sends what to whom.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    comm: CommId,
    data: Data,
    root: u32,
    /// Blocks of similar size: bits of their number of bytes.
    size: u32,
}

/// Their calls, and the blocks of these.
#[derive(Default)]
struct Sum {
    calls: u64,
    bytes: u64,
    function: u32,
}

/// Of all calls.
///
/// # Errors
///
/// If the run cannot be read.
pub fn transfers_of(run: &Run, resolver: &Resolver) -> Result<Transfers, QueryError> {
    Ok(of_tables(&Ingest::new(run, resolver)?.tables(), |_, _| true))
}

/// Of the calls that `is_wanted` has: rank, and number among its facts.
pub(crate) fn of_tables(tables: &Tables, is_wanted: impl Fn(usize, usize) -> bool) -> Transfers {
    let mut found = Transfers::default();
    let (mut sums, mut between) = (BTreeMap::<Key, Sum>::new(), Between::default());
    for (rank, facts) in tables.facts.iter().enumerate() {
        let wanted = facts.iter().enumerate().filter(|(at, _)| is_wanted(rank, *at));
        let made = wanted.map(|(_, info)| info).filter(|info| info.calls > 0 && info.flags & flags::FAILED == 0);
        for info in made {
            let Role::Collective(pattern) = info.role else { continue };
            let is_of_data = matches!(
                pattern,
                Pattern::NxN | Pattern::OneToN | Pattern::NToOne | Pattern::Scan | Pattern::Neighbors
            );
            if !is_of_data {
                continue;
            }
            let comm = info.comm.index().and_then(|comm| tables.dimensions.comms.get(comm));
            let is_unclear = info.flags & (flags::SPELLED | flags::MAKES_PERSISTENT) != 0;
            let Some(comm) = comm.filter(|comm| !comm.is_inter && !is_unclear) else {
                found.calls_left_out += info.calls;
                continue;
            };
            let is_counted = match pattern {
                Pattern::Neighbors => between.add_neighbors(comm, rank, info),
                _ => add(&mut sums, comm, info),
            };
            found.calls_left_out += if is_counted { 0 } else { info.calls };
        }
    }
    found.neighbors = between.take();
    for (key, sum) in sums {
        let Some(comm) = key.comm.index().and_then(|at| tables.dimensions.comms.get(at)) else { continue };
        if !between.add_operations(comm, &key, &sum) {
            found.calls_left_out += sum.calls;
        }
    }
    found.collectives = between.take();
    found
}

/// Adds calls of one rank to those of the same kind.
fn add(sums: &mut BTreeMap<Key, Sum>, comm: &CommRow, info: &CallInfo) -> bool {
    let members = comm.members.len() as u64;
    let root = match info.root.index() {
        Some(_) => comm.members.iter().position(|member| *member == info.root),
        None => Some(0),
    };
    let Some(root) = root else { return false };
    let bytes = block(mpiscope_abi::name(info.function), info, members);
    let data = data_of_function(info.function);
    let size = u64::BITS - bytes.leading_zeros();
    let sum = sums.entry(Key { comm: info.comm, data, root: root as u32, size }).or_default();
    sum.calls += info.calls;
    sum.bytes = sum.bytes.saturating_add(bytes.saturating_mul(info.calls));
    sum.function = info.function;
    true
}

/// Messages and bytes by pairs of ranks.
#[derive(Default)]
struct Between(BTreeMap<(u32, u32), (f64, f64)>);

impl Between {
    fn add(&mut self, from: u32, to: u32, messages: f64, bytes: f64) {
        let sum = self.0.entry((from, to)).or_default();
        *sum = (sum.0 + messages, sum.1 + bytes);
    }

    /// A call to neighbours: each gets as much. Of a grid, sides without a neighbour get a part of the buffer, too (MPI-5.0 §8.7).
    fn add_neighbors(&mut self, comm: &CommRow, rank: usize, info: &CallInfo) -> bool {
        let Some(place) = comm.members.iter().position(|member| member.index() == Some(rank)) else { return false };
        let mut destinations = Vec::new();
        let sides = if comm.dims.is_empty() {
            if !comm.neighbors.get(place).is_some_and(Option::is_some) {
                return false;
            }
            destinations.extend(comm.destinations(place));
            destinations.len()
        } else {
            comm.for_each_source(place, |neighbor| destinations.push(neighbor));
            2 * comm.dims.len()
        };
        let (calls, bytes) = (info.calls as f64, info.bytes_sent as f64 / sides.max(1) as f64);
        let ranks = destinations.into_iter().filter_map(|to| comm.members.get(to).filter(|to| to.is_some()));
        for to in ranks.filter(|to| to.index() != Some(rank)) {
            self.add(rank as u32, to.0, calls, calls * bytes);
        }
        true
    }

    /// Operations of a kind, by the usual algorithm. False if they have too many pairs, or members that were not recorded.
    fn add_operations(&mut self, comm: &CommRow, key: &Key, sum: &Sum) -> bool {
        let members = comm.members.len();
        let is_each_with_each = matches!(key.data, Data::Alltoall | Data::ReduceScatter);
        if comm.members.iter().any(|member| !member.is_some()) || (is_each_with_each && members * members > MOST_PAIRS)
        {
            return false;
        }
        let ranks: Vec<u32> = comm.members.iter().map(|member| member.0).collect();
        // The mean: how much is moved grows with it.
        let bytes = sum.bytes / sum.calls.max(1);
        let kind = Kind {
            shape: Shape::AllToAll,
            data: key.data,
            function: sum.function,
            members: ranks.as_slice().into(),
            root: key.root,
            bytes,
            present: members as u32,
        };
        let operations = sum.calls as f64 / members.max(1) as f64;
        for one in transfers(key.data, Algorithm::usual(&kind), members, key.root as usize, bytes) {
            let (messages, bytes) = (one.messages as f64, one.bytes as f64);
            self.add(ranks[one.from], ranks[one.to], operations * messages, operations * bytes);
        }
        true
    }

    fn take(&mut self) -> Vec<Sent> {
        let sent = |((from, to), (messages, bytes)): ((u32, u32), (f64, f64))| Sent {
            from,
            to,
            messages: messages.round() as u64,
            bytes: bytes.round() as u64,
            // Of all members together: that of a pair is not known.
            time_ns: 0,
        };
        std::mem::take(&mut self.0).into_iter().map(sent).collect()
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_ingest::testing;

    use super::*;

    fn found(text: &str) -> Transfers {
        let folder = tempfile::tempdir().unwrap();
        testing::write(text, folder.path());
        let run = Run::open(folder.path(), &Default::default()).unwrap();
        transfers_of(&run, &Resolver::default()).unwrap()
    }

    fn pairs(sent: &[Sent]) -> Vec<(u32, u32, u64, u64)> {
        sent.iter().map(|one| (one.from, one.to, one.messages, one.bytes)).collect()
    }

    #[test]
    fn operations_of_members_are_counted_between_them() {
        let text = "\
host a = 0,1
host b = 2
comm 2 = 0,2
0 0 10 Allreduce bytes=8 comm=2
2 7 10 Allreduce bytes=8 comm=2
0 20 30 Allreduce bytes=8 comm=2
2 27 30 Allreduce bytes=8 comm=2
0 40 50 Bcast root=2 bytes=100
1 40 50 Bcast root=2 bytes=100
2 41 51 Bcast root=2 bytes=100
0 60 61 Barrier
1 60 61 Barrier
2 60 61 Barrier
";
        let found = found(text);
        assert_eq!(pairs(&found.collectives), [(0, 2, 2, 16), (2, 0, 3, 116), (2, 1, 1, 100)]);
        assert_eq!((found.neighbors.len(), found.calls_left_out), (0, 0));
    }

    #[test]
    fn neighbours_of_a_graph_get_equal_parts() {
        // Ranks 1 and 2 get data from rank 0; of the comm of ranks 2, 0, 1 these are its members 2 and 0.
        let text = "\
comm 2 = 2,0,1
graph 2 = 1;;1
0 0 10 Neighbor_alltoall bytes=60 comm=2
1 0 10 Neighbor_alltoall bytes=60 comm=2
2 0 10 Neighbor_alltoall bytes=60 comm=2
";
        let found = found(text);
        assert_eq!(pairs(&found.neighbors), [(0, 1, 1, 30), (0, 2, 1, 30)]);
        assert_eq!((found.collectives.len(), found.calls_left_out), (0, 0));
    }
}
