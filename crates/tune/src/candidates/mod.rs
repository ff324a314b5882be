//! From a recorded run to settings that may make the program faster, each with its reason.
//!
//! One file for each kind. A kind returns candidates, and what it leaves out with the reason; whether a candidate helps is decided by
//! experiments, not here. Names come from the tables, so that one kind serves all MPIs.

mod apply;
mod binding;
mod collective;
mod eager;
mod file_access;
mod memory;
mod network;
mod placement;
mod progress;
mod queues;
mod unset;
mod yielding;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use apply::Start;
pub use file_access::{accesses_files, hint_files};
pub use placement::RankOrder;

use crate::algorithms::without_large;
use crate::setting::{Setting, Target};
use crate::table::{self, Entry, Presence};
use crate::{Family, Source};

/// What is known of the program's run and of the place where it runs.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The MPI in use.
    pub target: Option<Target>,
    /// What is set for it.
    pub settings: Vec<Setting>,
    /// The launcher's words.
    pub launcher: Vec<String>,
    /// Ranks of the program.
    pub ranks: u64,
    /// Ranks of the host that has the most.
    pub ranks_per_host: u64,
    /// Cores of this host.
    pub cores: u64,
    /// Hosts of the run.
    pub hosts: u64,
    /// The kernel's part of the processor time.
    pub system_share: f64,
    /// Largest resident memory of a rank.
    pub max_rss_bytes: u64,
    /// Functions by name, with their share of the ranks' time.
    pub calls: BTreeMap<String, f64>,
    /// Messages that ranks send to each other: the largest size of each class of sizes, and their number.
    pub messages: Vec<(u64, u64)>,
    /// What the library reported while it ran: `btl_vader_eager_limit` and its value.
    pub reported: BTreeMap<String, String>,
    /// The library that makes MPICH over UCX yield.
    pub yield_library: Option<String>,
    /// Where the files of [`hint_files`] are, or will be.
    pub hints_directory: Option<String>,
    /// Network interfaces of this host, without the loopback.
    pub interfaces: Vec<String>,
    /// The best order of the ranks on the hosts.
    pub rank_order: Option<RankOrder>,
}

/// One change of what the program starts with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// A variable of the environment gets a value.
    Set {
        /// Its name in the environment.
        variable: String,
        /// The value.
        value: String,
    },
    /// A variable of the environment is removed.
    Unset {
        /// Its name.
        variable: String,
    },
    /// An option of the launcher; it replaces the same option with another value.
    Option {
        /// Such as `--bind-to`.
        option: String,
        /// Such as `none`.
        value: String,
    },
    /// An option of the launcher with a name and a value is removed.
    WithoutOption {
        /// Such as `--mca`.
        option: String,
        /// The name that it sets.
        name: String,
    },
    /// A library is loaded before the others.
    Preload {
        /// Its path.
        library: String,
    },
}

/// A set of changes that may help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// What a person reads: `OMPI_MCA_btl_vader_eager_limit=65536`.
    pub title: String,
    /// Candidates with the same one exclude each other.
    pub subject: String,
    /// What is changed together.
    pub changes: Vec<Change>,
    /// What in the run suggests it.
    pub why: String,
    /// What to ask the model of the run, such as `eager=64K`; `None` if it has no answer.
    pub question: Option<String>,
    /// The share of the time that the model says it saves.
    pub predicted: Option<f64>,
    /// How promising it is without a prediction, as a share of the time.
    pub prior: f64,
}

/// What is not tried, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Untried {
    /// The setting or the subject.
    pub what: String,
    /// Why.
    pub why: String,
}

/// All kinds together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// What may help.
    pub candidates: Vec<Candidate>,
    /// What is not tried.
    pub untried: Vec<Untried>,
}

/// The share of the ranks' time of each function, from pairs of names and times. Functions with large counts (`MPI_Send_c`) are the same function.
pub fn shares<'a>(calls: impl Iterator<Item = (&'a str, u64)>, rank_time_ns: u64) -> BTreeMap<String, f64> {
    let mut shares = BTreeMap::new();
    for (name, time_ns) in calls {
        *shares.entry(without_large(name).to_owned()).or_default() += time_ns as f64 / rank_time_ns.max(1) as f64;
    }
    shares
}

/// Everything that may help this run.
pub fn candidates(facts: &Facts) -> Found {
    let mut found = Found::default();
    let kinds: [fn(&Facts, &mut Found); 11] = [
        unset::find,
        eager::find,
        collective::find,
        binding::find,
        yielding::find,
        progress::find,
        memory::find,
        queues::find,
        file_access::find,
        network::find,
        placement::find,
    ];
    for find in kinds {
        find(facts, &mut found);
    }
    found.candidates.retain(|candidate| !candidate.changes.is_empty());
    found
}

/// The most promising first.
pub fn order(candidates: &mut [Candidate]) {
    let hope = |candidate: &Candidate| candidate.predicted.unwrap_or(candidate.prior);
    candidates.sort_by(|a, b| hope(b).total_cmp(&hope(a)));
}

impl Found {
    fn leave(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.untried.push(Untried { what: what.into(), why: why.into() });
    }
}

/// How a launcher writes its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Launching {
    OpenMpi,
    Hydra,
    /// Its options are not changed.
    Other,
}

impl Launching {
    /// Of these words of the launcher of this MPI.
    fn of(words: &[String], mpi: Option<Family>) -> Launching {
        let name = words.first().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
        let is_mpirun = ["mpirun", "mpiexec", "orterun", "prterun"].iter().any(|known| name.starts_with(known));
        match mpi.filter(|_| is_mpirun && !name.contains("rsh")) {
            Some(Family::OpenMpi | Family::Fujitsu) => Launching::OpenMpi,
            Some(Family::Mpich | Family::CrayMpich | Family::Intel | Family::Mvapich) => Launching::Hydra,
            _ => Launching::Other,
        }
    }
}

impl Facts {
    fn family(&self) -> Option<Family> {
        self.target.as_ref().map(|target| target.family)
    }

    fn device_has(&self, part: &str) -> bool {
        let device = self.target.as_ref().and_then(|target| target.device.as_deref());
        device.is_some_and(|device| device.contains(part))
    }

    fn has_only_ucx(&self) -> bool {
        self.target.as_ref().is_some_and(Target::has_only_ucx)
    }

    fn is_open_mpi(&self) -> bool {
        matches!(self.family(), Some(Family::OpenMpi | Family::Fujitsu))
    }

    fn launching(&self) -> Launching {
        Launching::of(&self.launcher, self.family())
    }

    /// The variable that this MPI reads under one of these names, the first that its version has.
    fn variable(&self, family: Family, names: &[&str]) -> Option<&'static Entry> {
        let own = self.target.as_ref().filter(|target| target.family == family).and_then(|of| of.version.as_ref());
        names
            .iter()
            .filter_map(|name| table::entry(family, name).filter(|entry| entry.name == **name))
            .find(|entry| own.is_none_or(|version| entry.presence(version) != Presence::No))
    }

    /// The value that is set for a variable of the environment or parameter, if any; the last one counts.
    fn value_of(&self, entry: &Entry) -> Option<&str> {
        let variable = entry.variable();
        let is_it = |setting: &&Setting| {
            setting.name == variable || (setting.source != Source::Environment && setting.name == entry.name)
        };
        self.settings.iter().rev().find(is_it).map(|setting| setting.value.as_str())
    }

    /// Share of the ranks' time in functions for which `is_it` holds.
    fn share(&self, is_it: impl Fn(&str) -> bool) -> f64 {
        // The sum of nothing is -0.
        self.calls.iter().filter(|(name, _)| is_it(name)).fold(0.0, |sum, (_, share)| sum + share)
    }
}

fn set(entry: &Entry, value: impl ToString) -> Change {
    Change::Set { variable: entry.variable(), value: value.to_string() }
}

/// Titles of changes, as people write them.
fn title(changes: &[Change]) -> String {
    let one = |change: &Change| match change {
        Change::Set { variable, value } => format!("{variable}={value}"),
        Change::Unset { variable } => format!("without {variable}"),
        Change::Option { option, value } => format!("{option} {value}"),
        Change::WithoutOption { option, name } => format!("without {option} {name}"),
        Change::Preload { library } => format!("LD_PRELOAD={}", library.rsplit('/').next().unwrap_or(library)),
    };
    changes.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests;
