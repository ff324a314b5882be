//! Processor time of the ranks, sampled from outside while they ran.
//!
//! Lists are empty for runs without such samples (recorded by older versions, or by hand).

/// Sums of a rank since its beginning, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuSample {
    /// Moment, ns since the origin.
    pub at_ns: u64,
    /// All its threads on a processor, ns.
    pub run_ns: u64,
    /// All its threads ready to run and on none, ns.
    pub wait_ns: u64,
    /// Its first thread on a processor, ns.
    pub main_run_ns: u64,
    /// Its first thread ready to run and on none, ns.
    pub main_wait_ns: u64,
    /// Threads it has.
    pub threads: u64,
    /// Processor on which its first thread was last, where frequencies are known.
    pub cpu: Option<u32>,
}

/// The samples of one rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankCores {
    /// In order of time.
    pub samples: Vec<CpuSample>,
    /// Processors it may use: first and last of each stretch, in order.
    pub cpus: Vec<(u32, u32)>,
    /// How often it gave its processor up; of the first thread where the end of the process was not seen.
    pub voluntary_switches: Option<u64>,
    /// How often its processor was taken away.
    pub involuntary_switches: Option<u64>,
    /// Whether its MPI was made to give way (`mpiscope run --yield`).
    pub gives_way: bool,
}

impl RankCores {
    /// How many processors it may use.
    pub fn processors(&self) -> u64 {
        self.cpus.iter().map(|&(first, last)| u64::from(last - first) + 1).sum()
    }
}

/// What a host's processors did in a stretch of time; lists are in the order of [`HostCores::cpus`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostSample {
    /// From here, ns since the origin, …
    pub from_ns: u64,
    /// … to here.
    pub until_ns: u64,
    /// Busy with anything, ns.
    pub busy_ns: Vec<u64>,
    /// Busy, as the hypervisor sees it: ready to run while it ran something else, ns.
    pub stolen_ns: Vec<u64>,
    /// How often a control group held its processes back.
    pub throttled: u64,
    /// For how long, summed over its processors, ns.
    pub throttled_ns: u64,
    /// Frequencies; empty where they are not known, 0 of a processor whose is not.
    pub mhz: Vec<u32>,
}

/// The samples of one host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostCores {
    /// Its name.
    pub host: String,
    /// Its processors.
    pub cpus: Vec<u32>,
    /// Cores that a control group grants.
    pub quota_cores: Option<f64>,
    /// Whether frequencies of its cores can be measured.
    pub has_frequency: bool,
    /// In order of time.
    pub samples: Vec<HostSample>,
}
