//! Communicators across ranks.
//!
//! Every process numbers its communicators itself. The members of a communicator agree on its membership (a hash of the group)
//! and on the number of earlier communicators with the same membership.

use std::collections::BTreeMap;

use mpiscope_trace::defs::{Comm, Run as GroupRun};
use serde::Serialize;

use crate::run::Rank;

/// Identifies a communicator across ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommKey {
    /// `MPI_COMM_WORLD`.
    World,
    /// `MPI_COMM_SELF` of all ranks together.
    Own,
    /// Membership and ordinal, see [`Comm`].
    Made(u64, u32),
    /// Not defined in the file (definitions lost): rank file's place in the run, local id.
    Undefined(usize, u32),
}

impl CommKey {
    /// The key of a communicator that a rank defines.
    pub fn from_comm(comm: &Comm) -> CommKey {
        match comm.id {
            1 => CommKey::World,
            2 => CommKey::Own,
            _ => CommKey::Made(comm.membership, comm.ordinal),
        }
    }

    /// Stable text for programs.
    pub fn id(&self) -> String {
        match self {
            CommKey::World => "world".into(),
            CommKey::Own => "self".into(),
            CommKey::Made(membership, ordinal) => format!("{membership:016x}.{ordinal}"),
            CommKey::Undefined(rank, id) => format!("undefined.{rank}.{id}"),
        }
    }
}

/// Facts about a communicator, from the first rank that defines it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CommFacts {
    /// Name set by the program, or a description.
    pub label: String,
    /// Processes in it (the local group of an intercommunicator).
    pub size: i32,
    /// Processes in the remote group; 0 for an intracommunicator.
    pub remote_size: i32,
    /// World ranks of the (local) group, abbreviated: `0-3`, `0-12:4`, `5,1,7`.
    pub members: String,
    /// C name of the function that created it, empty for predefined ones.
    pub created_by: String,
    /// Extents and periods of a Cartesian topology.
    pub dims: Vec<(u32, bool)>,
}

/// Communicators of a run.
#[derive(Default)]
pub struct CommNames {
    /// Facts by key.
    pub facts: BTreeMap<CommKey, CommFacts>,
    keys: Vec<BTreeMap<u32, CommKey>>,
}

impl CommNames {
    /// Unifies those of `ranks`.
    pub fn new(ranks: &[&Rank]) -> CommNames {
        let mut names = CommNames::default();
        for rank in ranks {
            let keys: BTreeMap<u32, CommKey> =
                rank.defs.comms.values().map(|c| (c.id, CommKey::from_comm(c))).collect();
            for comm in rank.defs.comms.values() {
                let set = rank.defs.comm_names.get(&comm.id).filter(|n| !n.is_empty());
                let facts = names.facts.entry(CommKey::from_comm(comm)).or_insert_with(|| CommFacts::from_comm(comm));
                if let Some(name) = set {
                    facts.label.clone_from(name);
                }
            }
            names.keys.push(keys);
        }
        names
    }

    /// The communicator with the number `id` of rank number `rank` (of those given).
    pub fn key(&self, rank: usize, id: u32) -> CommKey {
        let known = self.keys.get(rank).and_then(|keys| keys.get(&id)).copied();
        known.unwrap_or(match id {
            1 => CommKey::World,
            2 => CommKey::Own,
            id => CommKey::Undefined(rank, id),
        })
    }

    /// Its label.
    pub fn label(&self, key: CommKey) -> String {
        match (self.facts.get(&key), key) {
            (Some(facts), _) => facts.label.clone(),
            (None, CommKey::World) => "MPI_COMM_WORLD".into(),
            (None, CommKey::Own) => "MPI_COMM_SELF".into(),
            (None, _) => "(undefined)".into(),
        }
    }
}

impl CommFacts {
    /// The facts from one rank.
    pub fn from_comm(comm: &Comm) -> CommFacts {
        let created_by = if comm.created_by == 0 { "" } else { mpiscope_abi::name(comm.created_by) }.to_owned();
        let dims: Vec<(u32, bool)> = comm.dims.iter().map(|&(extent, periodic, _)| (extent, periodic)).collect();
        let mut label = match comm.id {
            1 => "MPI_COMM_WORLD".to_owned(),
            2 => "MPI_COMM_SELF".to_owned(),
            _ if created_by.is_empty() => "communicator".to_owned(),
            _ => created_by.clone(),
        };
        if !dims.is_empty() {
            let extents: Vec<String> = dims.iter().map(|(extent, _)| extent.to_string()).collect();
            label = format!("{label} {}", extents.join("x"));
        }
        let members = if comm.id == 2 { String::new() } else { members(&comm.group) };
        CommFacts { label, size: comm.size, remote_size: comm.remote_size, members, created_by, dims }
    }
}

/// World ranks of a group, abbreviated; long lists are cut.
fn members(group: &[GroupRun]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for run in group {
        if parts.len() == 6 {
            parts.push("…".into());
            break;
        }
        let last = i64::from(run.start) + i64::from(run.stride) * (i64::from(run.count) - 1);
        parts.push(match (run.count, run.stride) {
            (1, _) => run.start.to_string(),
            (_, 1) => format!("{}-{last}", run.start),
            (2, _) => format!("{},{last}", run.start),
            (_, stride) => format!("{}-{last}:{stride}", run.start),
        });
    }
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_trace::defs::runs;

    #[test]
    fn groups_in_short() {
        assert_eq!(members(&runs(&[0, 1, 2, 3])), "0-3");
        assert_eq!(members(&runs(&[0, 4, 8, 12])), "0-12:4");
        assert_eq!(members(&runs(&[5, 1])), "5,1");
        assert_eq!(members(&runs(&[7])), "7");
    }
}
