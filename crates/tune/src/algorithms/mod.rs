//! Which algorithm an MPI uses for a kind of collective calls, by its decision rules and the settings of the run; on which condition it
//! would use another one.
//!
//! Everything here is inferred: no library is read, and no call is observed. Rules are data (`data/algorithms/`) where a library
//! contains them as data or can be questioned (`tools/algorithms/`), and code where they are code there.

mod fujitsu;
mod han;
mod intel;
mod libnbc;
mod mpich;
mod mpich_conditions;
mod open_mpi;
mod others;
mod selecting;
mod tree;

use std::collections::BTreeMap;

use serde::Serialize;

pub use others::Other;
pub use selecting::{Selection, selection};
pub(crate) use selecting::{companions, in_model, names};

use crate::setting::Target;
use crate::{Family, Version};

/// Why an algorithm is not known where it depends on the size.
const DIFFERENT_SIZES: &str = "the sizes of these calls differ from call to call, and the algorithm with them";

/// The MPI of a run, and what was set for its ranks.
#[derive(Debug, Clone)]
pub struct Mpi {
    /// Which.
    pub target: Target,
    /// Variables of the environment of the ranks.
    pub settings: BTreeMap<String, String>,
    /// Whether it was initialized with `MPI_THREAD_MULTIPLE`, if known.
    pub is_threaded: Option<bool>,
}

/// Collective calls that have the same arguments, on one communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// `MPI_Allreduce`.
    pub function: String,
    /// Members of the communicator.
    pub ranks: u64,
    /// Hosts of its members.
    pub hosts: u64,
    /// Members on the host that has the most.
    pub ranks_per_host: u64,
    /// Whether it joins two groups.
    pub is_inter: bool,
    /// Whether the members of each host follow each other.
    pub is_consecutive: bool,
    /// Bytes of one rank's block; of everything for broadcasts and reductions; the mean of all ranks where blocks differ. `None` if calls differ.
    pub bytes: Option<u64>,
    /// Elements of that.
    pub count: u64,
    /// Whether `MPI_IN_PLACE` was given.
    pub is_in_place: bool,
    /// Whether the operation commutes; `None` if it is one of the program.
    pub commutes: Option<bool>,
    /// Whether the operation is predefined; true for calls without one.
    pub is_built_in: bool,
}

/// Where an algorithm is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Among all members.
    All,
    /// Among those of each host.
    WithinHosts,
    /// Among one member of each host.
    BetweenHosts,
}

/// One step of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Where.
    pub place: Place,
    /// The operation there, if it is another one: `bcast` at the end of an `MPI_Allreduce`.
    pub operation: Option<String>,
    /// As the MPI names it.
    pub algorithm: String,
    /// What else is to be said, such as from which call on.
    pub note: Option<String>,
}

/// What the rules say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Inferred {
    /// The algorithm, in one or several steps.
    Known {
        /// In their order.
        parts: Vec<Part>,
        /// What decides.
        by: String,
        /// What was taken to be so, as the run does not show it.
        assumed: Vec<String>,
    },
    /// No rule is known, or what it needs.
    NotKnown {
        /// Why.
        why: String,
        /// Algorithms for which conditions are documented, with what the run shows of these.
        possible: Vec<Possible>,
    },
}

/// An algorithm of which conditions are documented, but not when it is preferred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Possible {
    /// Its name.
    pub algorithm: String,
    /// Conditions; whether the run meets them, `None` where it does not show this.
    pub conditions: Vec<(String, Option<bool>)>,
    /// For what it is meant.
    pub suited: String,
}

impl Mpi {
    /// What a call uses.
    pub fn infer(&self, call: &Call) -> Inferred {
        if call.ranks < 2 && !call.is_inter {
            return known(vec![part("none")], "a communicator with one rank needs none");
        }
        if call.is_inter {
            return not_known("the rules for intercommunicators are not in the tables");
        }
        match self.target.family {
            Family::OpenMpi => open_mpi::infer(self, call),
            Family::Mpich => mpich::infer(self, call),
            Family::Fujitsu => fujitsu::infer(call),
            Family::Intel => intel::infer(self, call),
            family => not_known(format!("the tables have no rules of {}", family.title())),
        }
    }

    /// Conditions on which it would use others.
    pub fn others(&self, call: &Call) -> Vec<Other> {
        let boundaries = match self.target.family {
            Family::OpenMpi => open_mpi::boundaries(call),
            Family::Mpich => mpich::boundaries(self, call),
            _ => return Vec::new(),
        };
        others::find(self, call, &boundaries)
    }

    /// The value of a variable.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// First and second number of the version.
    pub(crate) fn series(&self) -> Option<&[u32]> {
        self.target.version.as_ref().map(Version::series)
    }
}

/// The name of a function without what marks a large count: `MPI_Send_c` is `MPI_Send`.
pub(crate) fn without_large(name: &str) -> &str {
    name.strip_suffix("_c").unwrap_or(name)
}

impl Call {
    /// The function's name in lower case, without prefix and without what marks a large count: `allreduce`.
    fn operation(&self) -> String {
        without_large(self.function.trim_start_matches("MPI_")).to_ascii_lowercase()
    }

    /// The same calls with other sizes.
    fn with_bytes(&self, bytes: u64) -> Call {
        let element = self.bytes.map_or(1, |own| own / self.count.max(1)).max(1);
        Call { bytes: Some(bytes), count: bytes / element, ..self.clone() }
    }

    /// The same on a communicator with so many ranks, on the same hosts.
    fn with_ranks(&self, ranks: u64) -> Call {
        let hosts = self.hosts.min(ranks);
        Call { ranks, hosts, ranks_per_host: ranks.div_ceil(hosts.max(1)), ..self.clone() }
    }

    /// The largest power of two that is not larger than the number of ranks.
    fn power_of_two(&self) -> u64 {
        1 << self.ranks.max(1).ilog2()
    }
}

fn part(algorithm: impl Into<String>) -> Part {
    Part { place: Place::All, operation: None, algorithm: algorithm.into(), note: None }
}

fn known(parts: Vec<Part>, by: impl Into<String>) -> Inferred {
    Inferred::Known { parts, by: by.into(), assumed: Vec::new() }
}

fn not_known(why: impl Into<String>) -> Inferred {
    Inferred::NotKnown { why: why.into(), possible: Vec::new() }
}

#[cfg(test)]
mod tests;
