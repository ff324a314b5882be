//! The meaning of ids.

use std::collections::BTreeMap;

use mpiscope_records::{HostCores, RankCores};

use crate::ids::{CommId, RankId, RegionId, SiteId};

/// Tables that are small and complete before the first batch.
#[derive(Clone, Debug, Default)]
pub struct Dimensions {
    /// ns of the reference clock that count as 0. (Of several hosts, where that was before the reference's start or within
    /// 2 s of it: 2 s.)
    pub origin_ns: u64,
    /// Processes.
    pub ranks: Vec<RankRow>,
    /// Communicators.
    pub comms: Vec<CommRow>,
    /// Groups that calls name: processes, in order of their rank in it; [`RankId::NONE`] for those that were not recorded.
    pub groups: Vec<Vec<RankId>>,
    /// Call sites; number 0 stands for an unknown one.
    pub sites: Vec<SiteRow>,
    /// Regions of the program.
    pub regions: Vec<RegionRow>,
    /// Datatypes of each rank by their ids there ([`crate::CallInfo::datatype`]).
    pub datatypes: Vec<BTreeMap<u32, DatatypeRow>>,
    /// What hosts did meanwhile, where somebody looked. Not in stores.
    pub hosts: Vec<HostCores>,
    /// Family of the MPI: `mpich`, `open-mpi`, `standard-abi`; empty when unknown. Not in stores.
    pub mpi_family: &'static str,
    /// What MPICH says of its device: `ch4:ucx`; empty when unknown. Not in stores.
    pub mpi_device: String,
}

/// A datatype of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatatypeRow {
    /// Name, if it has one.
    pub name: String,
    /// Function that made it, 0 predefined.
    pub created_by: u32,
    /// Bytes of data.
    pub size_bytes: u64,
    /// Bytes from one to the next.
    pub extent_bytes: i64,
}

impl DatatypeRow {
    /// Whether it was made by the program and has gaps.
    pub fn has_gaps(&self) -> bool {
        self.created_by != 0 && i64::try_from(self.size_bytes) != Ok(self.extent_bytes)
    }
}

/// A stretch of the run of which a rank has no rows, since its file is damaged there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unreadable {
    /// Where it begins, ns since the origin: the beginning of the rank's time, or the last moment that can be read.
    pub from_ns: u64,
    /// Where it ends: the first moment that can be read again, or the end of the rank's time.
    pub until_ns: u64,
    /// Events that are lost or left out; more where a whole part of the file is missing.
    pub events: u64,
}

impl Unreadable {
    /// From where to where it reaches, as shares of the time of its rank.
    pub fn shares(&self, row: &RankRow) -> (f64, f64) {
        let whole_ns = row.time_ns().max(1) as f64;
        let share = |ns: u64| (ns.saturating_sub(row.init_end_ns) as f64 / whole_ns).min(1.0);
        (share(self.from_ns), if self.until_ns >= row.finalize_start_ns { 1.0 } else { share(self.until_ns) })
    }
}

/// A process.
#[derive(Clone, Debug, Default)]
pub struct RankRow {
    /// Rank in its `MPI_COMM_WORLD`, −1 unknown.
    pub world_rank: i32,
    /// Which world: 0 the first, others were spawned or joined.
    pub world: u32,
    /// Host.
    pub host: String,
    /// Process id there.
    pub pid: u32,
    /// Return of `MPI_Init`, ns since the origin.
    pub init_end_ns: u64,
    /// Entry of `MPI_Finalize`, or the last moment known, ns since the origin.
    pub finalize_start_ns: u64,
    /// Calls that the ring had overwritten or dropped, or that cannot be read: rows that are missing.
    pub rows_lost: u64,
    /// What of this rank cannot be read, since its file is damaged.
    pub unreadable: Option<Unreadable>,
    /// Moments of this rank are at most this far from the clock of the reference, ns: 0 on its host, nothing where clocks
    /// were not compared.
    pub clock_error_ns: Option<u64>,
    /// What one core of its host copies from memory to memory, bytes that arrive in a second; nothing where nobody has
    /// measured it.
    pub copy_bytes_per_s: Option<u64>,
    /// From here on the rows of all ranks are there: `init_end_ns`, or where rings were overwritten, the latest of their
    /// beginnings.
    pub rows_from_ns: u64,
    /// Up to here the rows of all ranks are there: `finalize_start_ns`, or where rings were full, the earliest end.
    pub rows_until_ns: u64,
    /// Whether it has left `MPI_Finalize`. A store does not keep it, nor `failed`.
    pub is_finalized: bool,
    /// How it ended, if it did not end well: `killed by SIGSEGV`.
    pub failed: Option<String>,
    /// Processor time that it got, where somebody looked. Not in stores.
    pub cores: RankCores,
}

impl RankRow {
    /// Between initialisation and finalization.
    pub fn time_ns(&self) -> u64 {
        self.finalize_start_ns.saturating_sub(self.init_end_ns)
    }
    /// The part of [`RankRow::time_ns`] of which rows are there, on all ranks.
    pub fn rows_time_ns(&self) -> u64 {
        self.rows_until_ns.saturating_sub(self.rows_from_ns)
    }
    /// What of a sum over the whole run falls into [`RankRow::rows_time_ns`], if it is spread evenly.
    pub fn part_with_rows(&self, whole: u64) -> u64 {
        if self.rows_time_ns() == self.time_ns() {
            return whole;
        }
        (whole as f64 * self.rows_time_ns() as f64 / self.time_ns().max(1) as f64) as u64
    }
}

/// A communicator.
#[derive(Clone, Debug, Default)]
pub struct CommRow {
    /// Stable text: `world`, `self`, or membership and ordinal.
    pub key: String,
    /// Name for people.
    pub label: String,
    /// Processes, in order of their rank in it; [`RankId::NONE`] for those that were not recorded. Of an
    /// intercommunicator both groups, that of the smaller [`RankId`] first.
    pub members: Vec<RankId>,
    /// Whether it joins two groups.
    pub is_inter: bool,
    /// Extents and periods of a Cartesian topology.
    pub dims: Vec<(u32, bool)>,
    /// Of a graph topology, by member; `None` where they are not recorded. Empty without such a topology. Not in stores.
    pub neighbors: Vec<Option<Neighbors>>,
}

/// The members with which one of them exchanges data in neighbourhood operations on a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbors {
    /// Those that send to it.
    pub sources: Vec<u32>,
    /// Those to which it sends.
    pub destinations: Vec<u32>,
}

impl CommRow {
    /// Calls `each` with the members that send to one of them in neighbourhood operations (MPI-5.0 §8.7). False if they are not recorded.
    pub fn for_each_source(&self, member: usize, mut each: impl FnMut(usize)) -> bool {
        if !self.dims.is_empty() {
            for_each_neighbor(&self.dims, member, each);
            return true;
        }
        let Some(Some(of)) = self.neighbors.get(member) else { return false };
        of.sources.iter().for_each(|&source| each(source as usize));
        true
    }

    /// The members of a graph to which one of them sends.
    pub fn destinations(&self, member: usize) -> impl Iterator<Item = usize> {
        let of = self.neighbors.get(member).and_then(Option::as_ref);
        of.into_iter().flat_map(|of| &of.destinations).map(|&to| to as usize)
    }
}

/// Neighbours of a rank in a grid in row-major order (MPI-5.0 §8.2): extents, and whether each is periodic.
fn for_each_neighbor(dims: &[(u32, bool)], rank: usize, mut each: impl FnMut(usize)) {
    let mut stride = 1usize;
    for &(extent, is_periodic) in dims.iter().rev() {
        let extent = extent.max(1) as usize;
        let at = rank / stride % extent;
        let below = if at > 0 { Some(at - 1) } else { is_periodic.then_some(extent - 1) };
        let above = if at + 1 < extent { Some(at + 1) } else { is_periodic.then_some(0) };
        for to in below.into_iter().chain(above).filter(|&to| to != at) {
            each(rank - at * stride + to * stride);
        }
        stride = stride.saturating_mul(extent);
    }
}

/// A call site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SiteRow {
    /// `function file:line`, innermost frame.
    pub text: String,
    /// All frames, innermost first.
    pub frames: Vec<String>,
}

/// A region of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegionRow {
    /// Its name.
    pub name: String,
    /// Region around it, [`RegionId::NONE`] at the top.
    pub parent: Option<u32>,
}

impl Dimensions {
    /// The number of each rank's host, by rank; hosts in the order of their first ranks.
    pub fn numbers_of_hosts(&self) -> Vec<u32> {
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut found = Vec::with_capacity(self.ranks.len());
        for row in &self.ranks {
            let next = numbers.len() as u32;
            found.push(*numbers.entry(row.host.as_str()).or_insert(next));
        }
        found
    }

    /// Ranks of which a part cannot be read.
    pub fn unreadable(&self) -> impl Iterator<Item = (usize, &RankRow, Unreadable)> {
        self.ranks.iter().enumerate().filter_map(|(at, row)| Some((at, row, row.unreadable?)))
    }
    /// Whether all ranks are on one host.
    pub fn is_one_host(&self) -> bool {
        self.ranks.windows(2).all(|pair| pair[0].host == pair[1].host)
    }
    /// Whether rows of some rank are missing.
    pub fn is_cut(&self) -> bool {
        self.ranks.iter().any(|r| r.rows_lost > 0)
    }
    /// The text of a site, empty when unknown.
    pub fn site(&self, id: SiteId) -> &str {
        id.index().and_then(|i| self.sites.get(i)).map_or("", |s| s.text.as_str())
    }
    /// The name of a region with those around it: `solve/halo`.
    pub fn region(&self, id: RegionId) -> String {
        let mut names = Vec::new();
        let mut at = id.index();
        while let Some(row) = at.and_then(|i| self.regions.get(i)) {
            names.push(row.name.as_str());
            at = row.parent.map(|p| p as usize).filter(|_| names.len() < 64);
        }
        names.reverse();
        names.join("/")
    }
    /// The label of a communicator.
    pub fn comm(&self, id: CommId) -> &str {
        id.index().and_then(|i| self.comms.get(i)).map_or("", |c| c.label.as_str())
    }
    /// What people call a process: its rank in `MPI_COMM_WORLD`.
    pub fn rank(&self, id: RankId) -> i32 {
        id.index().and_then(|i| self.ranks.get(i)).map_or(-1, |r| r.world_rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(comm: &CommRow, rank: usize) -> Vec<usize> {
        let mut found = Vec::new();
        assert!(comm.for_each_source(rank, |n| found.push(n)));
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn neighbours_in_grids() {
        let of = |dims: &[(u32, bool)], rank| sources(&CommRow { dims: dims.to_vec(), ..CommRow::default() }, rank);
        assert_eq!(of(&[(3, false), (2, false)], 0), [1, 2]);
        assert_eq!(of(&[(3, true), (2, false)], 0), [1, 2, 4]);
        assert_eq!(of(&[(3, false), (2, false)], 3), [1, 2, 5]);
        assert_eq!(of(&[(2, false)], 1), [0]);
        assert_eq!(of(&[(4, true)], 3), [0, 2]);
        assert_eq!(of(&[(1, true)], 0), [] as [usize; 0]);
    }

    #[test]
    fn neighbours_in_graphs() {
        let of = |sources: &[u32], to: &[u32]| Some(Neighbors { sources: sources.to_vec(), destinations: to.to_vec() });
        let comm = CommRow { neighbors: vec![of(&[2, 1], &[]), None, of(&[], &[0])], ..CommRow::default() };
        assert_eq!((sources(&comm, 0), sources(&comm, 2)), (vec![1, 2], vec![]));
        assert_eq!([0, 1, 2].map(|member| comm.destinations(member).collect::<Vec<_>>()), [vec![], vec![], vec![0]]);
        assert!(![1, 3].iter().any(|&of| comm.for_each_source(of, |_| {})), "not recorded");
        assert!(!CommRow::default().for_each_source(0, |_| {}), "no topology");
    }
}
