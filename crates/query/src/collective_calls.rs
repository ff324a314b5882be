//! Collective calls of a run by what decides about their algorithm: function, communicator, size, operation, place of the call.

use std::collections::{BTreeMap, BTreeSet};

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_ingest::{Ingest, Tables};
use mpiscope_run::{Resolver, Run};
use mpiscope_store::{CallInfo, CommId, CommRow, flags};

use crate::QueryError;

/// Collective calls with the same arguments at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveCalls {
    /// C name, without the suffix of large counts.
    pub function: String,
    /// `function file:line`; empty if unknown.
    pub site: String,
    /// Label of the communicator.
    pub comm: String,
    /// Its members.
    pub ranks: u64,
    /// Hosts of its recorded members.
    pub hosts: u64,
    /// Members on the host that has the most.
    pub ranks_per_host: u64,
    /// Whether it joins two groups.
    pub is_inter: bool,
    /// Whether the members of each host follow each other.
    pub is_consecutive: bool,
    /// Of one rank: the block that it sends or receives, or everything for broadcasts and reductions. `None` if calls differ.
    pub bytes: Option<u64>,
    /// Elements of that.
    pub count: u64,
    /// Name of the datatype, empty if it has none.
    pub datatype: String,
    /// Name of the reduction operation; empty without one.
    pub op: String,
    /// Whether the operation is predefined, or there is none.
    pub is_built_in: bool,
    /// Whether `MPI_IN_PLACE` was given.
    pub is_in_place: bool,
    /// Operations: calls of all ranks, divided by their number.
    pub operations: u64,
    /// Time of all ranks in them.
    pub time_ns: u64,
}

/// Collective calls with data or barriers, the longest time first. Of what rings have overwritten, too: it comes from sums.
///
/// # Errors
///
/// If the run cannot be read.
pub fn collective_calls(run: &Run, resolver: &Resolver) -> Result<Vec<CollectiveCalls>, QueryError> {
    let tables = Ingest::new(run, resolver)?.tables();
    let shapes: Vec<CommShape> = tables.dimensions.comms.iter().map(|comm| CommShape::of(comm, &tables)).collect();
    let mut sums: BTreeMap<Key, (u64, u64)> = BTreeMap::new();
    for (at, facts) in tables.facts.iter().enumerate() {
        let op_name = |id: u32| run.ranks.get(at).and_then(|rank| rank.defs.ops.get(&id)).cloned().unwrap_or_default();
        for info in facts.iter().filter(|info| info.calls > 0 && info.flags & flags::FAILED == 0) {
            let Some(shape) = info.comm.index().and_then(|comm| shapes.get(comm)).filter(|_| is_of_interest(info))
            else {
                continue;
            };
            let datatype = tables.dimensions.datatypes.get(at).and_then(|of| of.get(&info.datatype));
            let function = mpiscope_abi::name(info.function);
            let bytes = (info.flags & flags::SPELLED == 0).then(|| block(function, info, shape.ranks));
            let key = Key {
                function: function.strip_suffix("_c").unwrap_or(function),
                site: info.site.0,
                comm: info.comm,
                bytes,
                element: datatype.map_or(1, |row| row.size_bytes),
                datatype: datatype.map(|row| row.name.clone()).unwrap_or_default(),
                op: op_name(info.op),
                is_in_place: info.flags & flags::IN_PLACE != 0,
            };
            let (calls, time_ns) = sums.entry(key).or_default();
            *calls += info.calls;
            *time_ns = time_ns.saturating_add(info.time_ns);
        }
    }
    let mut found: Vec<CollectiveCalls> =
        sums.into_iter().map(|(key, (calls, time_ns))| row(key, calls, time_ns, &tables, &shapes)).collect();
    found.sort_by_key(|row| std::cmp::Reverse(row.time_ns));
    Ok(found)
}

/// What calls have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    function: &'static str,
    site: u32,
    comm: CommId,
    bytes: Option<u64>,
    element: u64,
    datatype: String,
    op: String,
    is_in_place: bool,
}

fn row(key: Key, calls: u64, time_ns: u64, tables: &Tables, shapes: &[CommShape]) -> CollectiveCalls {
    let shape = key.comm.index().map(|at| shapes[at]).unwrap_or_default();
    CollectiveCalls {
        function: key.function.to_owned(),
        site: tables.dimensions.site(mpiscope_store::SiteId(key.site)).to_owned(),
        comm: tables.dimensions.comm(key.comm).to_owned(),
        ranks: shape.ranks,
        hosts: shape.hosts,
        ranks_per_host: shape.ranks_per_host,
        is_inter: shape.is_inter,
        is_consecutive: shape.is_consecutive,
        bytes: key.bytes,
        count: key.bytes.unwrap_or(0) / key.element.max(1),
        datatype: key.datatype,
        is_built_in: !key.op.starts_with("user "),
        op: key.op,
        is_in_place: key.is_in_place,
        // A rank at the root may have other arguments than the others: then its calls are a row of their own.
        operations: calls.div_ceil(shape.recorded.max(1)),
        time_ns,
    }
}

fn is_of_interest(info: &CallInfo) -> bool {
    let Role::Collective(pattern) = info.role else { return false };
    matches!(pattern, Pattern::Barrier | Pattern::NxN | Pattern::OneToN | Pattern::NToOne | Pattern::Scan)
}

/// Where the members of a communicator are.
#[derive(Clone, Copy, Default)]
struct CommShape {
    ranks: u64,
    recorded: u64,
    hosts: u64,
    ranks_per_host: u64,
    is_inter: bool,
    is_consecutive: bool,
}

impl CommShape {
    fn of(comm: &CommRow, tables: &Tables) -> CommShape {
        let host = |rank: &mpiscope_store::RankId| Some(tables.dimensions.ranks.get(rank.index()?)?.host.as_str());
        let hosts: Vec<&str> = comm.members.iter().filter_map(host).collect();
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        hosts.iter().for_each(|host| *counts.entry(host).or_default() += 1);
        let changes = hosts.windows(2).filter(|pair| pair[0] != pair[1]).count() + 1;
        let distinct: BTreeSet<&&str> = hosts.iter().collect();
        CommShape {
            ranks: comm.members.len() as u64,
            recorded: hosts.len() as u64,
            hosts: (counts.len() as u64).max(1),
            ranks_per_host: counts.values().copied().max().unwrap_or(1),
            is_inter: comm.is_inter,
            is_consecutive: changes <= distinct.len().max(1),
        }
    }
}

/// The block of a rank, see [`CollectiveCalls::bytes`]. With `MPI_IN_PLACE`, a rank states only one side.
pub(crate) fn block(function: &str, info: &CallInfo, ranks: u64) -> u64 {
    let (sent, received) = (info.bytes_sent, info.bytes_received);
    let (name, ranks) = (function.trim_start_matches("MPI_").to_ascii_lowercase(), ranks.max(1));
    // `iallreduce` and `allreduce_init` as `allreduce`.
    let has = |part: &str| name.contains(part);
    if has("reduce_scatter_block") {
        received
    } else if has("reduce_scatter") {
        sent.max(received)
    } else if has("alltoall") {
        sent.max(received) / ranks
    } else if has("allgather") {
        received.max(sent.saturating_mul(ranks)) / ranks
    } else if has("gather") {
        // At the root, too: what it sends to itself.
        if sent > 0 { sent } else { received / ranks }
    } else if has("scatter") {
        if received > 0 { received } else { sent / ranks }
    } else {
        sent.max(received)
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_ingest::testing;
    use mpiscope_run::Run;

    use super::*;

    #[test]
    fn calls_with_the_same_arguments_are_one_row() {
        let text = "\
host a = 0,1
host b = 2
comm 2 = 0,2
0 0 10 Allreduce bytes=8
1 5 10 Allreduce bytes=8
2 7 10 Allreduce bytes=8
0 20 30 Allreduce bytes=8
1 25 30 Allreduce bytes=8
2 27 30 Allreduce bytes=8
0 40 50 Bcast root=0 bytes=100 comm=2
2 41 51 Bcast root=0 bytes=100 comm=2
0 60 61 Barrier
1 60 61 Barrier
2 60 61 Barrier
";
        let folder = tempfile::tempdir().unwrap();
        testing::write(text, folder.path());
        let run = Run::open(folder.path(), &Default::default()).unwrap();
        let rows = collective_calls(&run, &Resolver::default()).unwrap();
        let of = |name: &str| rows.iter().find(|row| row.function == name).unwrap();
        assert_eq!(rows.len(), 3, "{rows:?}");
        let allreduce = of("MPI_Allreduce");
        assert_eq!((allreduce.ranks, allreduce.hosts, allreduce.ranks_per_host), (3, 2, 2));
        assert_eq!((allreduce.bytes, allreduce.operations, allreduce.time_ns), (Some(8), 2, 36_000));
        let bcast = of("MPI_Bcast");
        assert_eq!((bcast.ranks, bcast.hosts, bcast.bytes, bcast.operations), (2, 2, Some(100), 1));
        assert!(bcast.is_consecutive && bcast.is_built_in && !bcast.is_inter);
        assert_eq!((of("MPI_Barrier").bytes, of("MPI_Barrier").operations), (Some(0), 1));
    }
}
