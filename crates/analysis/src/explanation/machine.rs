//! What the machine gave to the ranks.

use std::iter::Sum;
use std::ops::Add;

use serde::Serialize;

/// What the machine gave to the ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Machine {
    /// The first line of a verdict, where the machine is the cause.
    pub headline: Option<String>,
    /// All ranks together.
    pub computing: Split,
    /// Each rank of which there are samples.
    pub ranks: Vec<RankUse>,
    /// Each host.
    pub hosts: Vec<HostUse>,
    /// Over time, all ranks together.
    pub windows: Windows,
}

/// What computing was: `computing = running + waiting + asleep`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Split {
    /// Outside of MPI, while there are samples, ns.
    pub computing_ns: u64,
    /// Of it on a core, ns; an estimate.
    pub running_ns: u64,
    /// Of it ready to run and without a core, ns; an estimate.
    pub waiting_ns: u64,
    /// The least it can be.
    pub waiting_least_ns: u64,
    /// The most it can be.
    pub waiting_most_ns: u64,
    /// Of it asleep (files, page faults, `sleep`), at least, ns.
    pub asleep_ns: u64,
}

impl Add for Split {
    type Output = Split;
    fn add(self, other: Split) -> Split {
        Split {
            computing_ns: self.computing_ns + other.computing_ns,
            running_ns: self.running_ns + other.running_ns,
            waiting_ns: self.waiting_ns + other.waiting_ns,
            waiting_least_ns: self.waiting_least_ns + other.waiting_least_ns,
            waiting_most_ns: self.waiting_most_ns + other.waiting_most_ns,
            asleep_ns: self.asleep_ns + other.asleep_ns,
        }
    }
}

impl Sum for Split {
    fn sum<I: Iterator<Item = Split>>(iter: I) -> Split {
        iter.fold(Split::default(), Add::add)
    }
}

impl Split {
    /// Share of computing that waited for a core.
    pub fn waiting_share(&self) -> f64 {
        self.waiting_ns as f64 / self.computing_ns.max(1) as f64
    }
}

/// The processor time of one rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RankUse {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// Its host.
    pub host: String,
    /// Processors it may use.
    pub cores_allowed: u64,
    /// The most threads in a sample.
    pub threads: u64,
    /// Time between its first and its last sample in the part that is analysed, ns.
    pub sampled_ns: u64,
    /// Processor time in it, of all threads, ns.
    pub cpu_ns: u64,
    /// Ready to run and on no core, all threads, ns.
    pub run_queue_ns: u64,
    /// The same of the first thread alone, as everything below.
    pub main_cpu_ns: u64,
    /// See `main_cpu_ns`.
    pub main_run_queue_ns: u64,
    /// Cores obtained, on average: `cpu_ns / sampled_ns`.
    pub core_share: f64,
    /// How often it gave up its core.
    pub voluntary_switches: Option<u64>,
    /// How often its core was taken away.
    pub involuntary_switches: Option<u64>,
    /// On a core inside of MPI, ns; an estimate.
    pub running_in_mpi_ns: u64,
    /// Asleep inside of MPI, ns; an estimate.
    pub asleep_in_mpi_ns: u64,
    /// What its computing consisted of.
    pub computing: Split,
    /// Frequency of the cores it ran on, MHz, on average; nothing where that is not known.
    pub mhz: Option<f64>,
}

/// All ranks over time, as one list for each number.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Windows {
    /// Beginning of each, ns since the origin.
    pub start_ns: Vec<u64>,
    /// Their length, ns.
    pub length_ns: u64,
    /// Cores that a rank obtained, on average.
    pub core_share: Vec<f64>,
    /// Share of the rank time ready to run and on no core.
    pub run_queue_share: Vec<f64>,
    /// Share of computing that waited for a core; an estimate.
    pub waiting_share: Vec<f64>,
}

/// One host.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HostUse {
    /// Its name.
    pub host: String,
    /// Ranks of which there are samples.
    pub ranks: u64,
    /// Processors that at least one of them may use.
    pub cores_allowed: u64,
    /// Processors of the host; `None` without samples.
    pub host_cores: Option<u64>,
    /// In the most crowded set of processors: this many ranks …
    pub tightest_ranks: u64,
    /// … may use only this many processors.
    pub tightest_cores: u64,
    /// Cores that a control group grants; `None` where there is no limit.
    pub quota_cores: Option<f64>,
    /// Cores that its ranks needed, on average: threads on a core or ready to run.
    pub wanted_cores: f64,
    /// Cores that they obtained.
    pub obtained_cores: f64,
    /// Share of the time in which the first threads waited for a core.
    pub run_queue_share: f64,
    /// Cores that were busy with something else, of those that ranks may use; `None` without samples.
    pub other_cores: Option<f64>,
    /// Cores that the hypervisor gave to other machines.
    pub stolen_cores: Option<f64>,
    /// How often control groups throttled processes.
    pub throttled: Option<u64>,
    /// For how long, ns, summed over processors.
    pub throttled_ns: Option<u64>,
    /// Slowest and fastest core of those that ranks ran on, MHz; nothing where frequencies are not known.
    pub mhz: Option<[f64; 2]>,
    /// For how long it was sampled, ns.
    pub sampled_ns: u64,
    /// Whether the MPI of its ranks was made to yield its core while waiting.
    pub gives_way: bool,
}
