//! `machine.json`. Schema: `schemas/machine.schema.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::scope::Scope;
use crate::{FILE, MachineError};

/// Version of the structure.
pub const FORMAT: u64 = 1;
/// Far above the profile of any machine.
const MOST_BYTES: u64 = 64 << 20;

/// What a machine and its MPI can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Version of the structure; [`FORMAT`] if this mpiscope wrote it.
    pub format: u64,
    /// The mpiscope that measured.
    pub mpiscope: String,
    /// Start, s since 1970.
    pub started_s: u64,
    /// End, s since 1970.
    pub ended_s: u64,
    /// Whether every experiment ran to its end.
    pub complete: bool,
    /// What a reader of the numbers has to consider: a busy host, an early end.
    pub problems: Vec<String>,
    /// The MPI that was measured.
    pub mpi: MpiFacts,
    /// What was requested, and variables that may change results.
    pub settings: Settings,
    /// The hosts with at least one rank, by name.
    pub hosts: Vec<Host>,
    /// All ranks of the job, in ascending order.
    pub ranks: Vec<RankPlace>,
    /// The pairs that were measured, the closest first; [`Scope::Pair`] is an index into them.
    pub pairs: Vec<Pair>,
    /// Results that are one number each.
    pub parameters: Vec<Parameter>,
    /// Results that depend on a size or a count.
    pub curves: Vec<Curve>,
    /// Exchanges of which the sends of each rank are known, one for each method; empty in profiles of older versions and of jobs with more than 256
    /// ranks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub staircases: Vec<Staircase>,
}

/// When the sends of all ranks began and ended in one exchange: that of median length of a few.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Staircase {
    /// Id of the experiment that made it.
    pub experiment: String,
    /// The method, as the series with its times.
    pub series: String,
    /// Size of each message.
    pub bytes: u64,
    /// By rank, and of each rank in the order in which they began.
    pub sends: Vec<SendTimes>,
}

/// One send. Times count from the moment at which all ranks were to begin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SendTimes {
    /// The sender, in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// The receiver.
    pub to: i32,
    /// Begin of the call that starts it.
    pub begin_ns: u64,
    /// End of the blocking call; of a non-blocking send, when it was found to be complete.
    pub end_ns: u64,
}

/// The MPI that was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MpiFacts {
    /// As the MPI itself reports.
    pub version: String,
    /// The library's file.
    pub path: String,
    /// Size of `MPI_COMM_WORLD`.
    pub ranks: i32,
}

/// What was requested, and what may have changed the results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Ids of the experiments, in the order in which they ran; where only some series were chosen, as `id/beginning of their names`.
    pub experiments: Vec<String>,
    /// Time for all experiments together, s.
    pub budget_s: f64,
    /// Size of the largest message, bytes.
    pub max_bytes: u64,
    /// Seed of the orders.
    pub seed: u64,
    /// Whether MPI was initialized with `MPI_THREAD_MULTIPLE`.
    #[serde(default)]
    pub with_threads: bool,
    /// Variables of the environment that MPIs and their transports read.
    pub variables: BTreeMap<String, String>,
    /// The network between the hosts in a few words, if it was described.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<String>,
    /// Control variables of the MPI that decide about protocols, as far as it has them and they are whole numbers; empty in profiles of older versions and
    /// of jobs that ended early.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub control_variables: BTreeMap<String, i64>,
}

/// One host, and what else it did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Its name, as `gethostname` returns it.
    pub host: String,
    /// Model of the processor; `None` if the kernel does not name it.
    pub processor: Option<String>,
    /// Release of the kernel, such as `6.1.0-18-amd64`; `None` if it is unknown.
    pub kernel: Option<String>,
    /// Logical processors that its ranks may use.
    pub usable_cpus: usize,
    /// Cores that its ranks may use; the hardware threads of a core count once.
    pub cores: usize,
    /// Number of ranks on this host.
    pub ranks: usize,
    /// Cores that other processes used on average while measuring.
    pub others_cores: f64,
    /// Share of the processors' time that the hypervisor gave to something else.
    pub stolen_share: f64,
    /// Time for which a control group was throttled, s.
    pub throttled_s: f64,
    /// Time that its processors needed for the same work at the end, divided by that at the beginning; absent in profiles of older versions and of jobs that
    /// ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
}

/// Where a rank may run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankPlace {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// Name of its host, as in [`Host::host`].
    pub host: String,
    /// Processors, such as `0-3,8`.
    pub cpus: String,
}

/// Two ranks that were measured for all pairs that are as close as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Such as `same-l3`.
    pub class: String,
    /// Of ranks on different hosts, how far these are apart in the network that was described; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<u32>,
    /// Both ranks in `MPI_COMM_WORLD`, the lower one first.
    pub ranks: [i32; 2],
}

impl Profile {
    /// What a scope is compared by: the class of a pair, whose ranks may be others in another job.
    pub fn class_of(&self, scope: Scope) -> String {
        match scope {
            Scope::Pair(pair) => self.pairs.get(pair).map_or_else(String::new, |pair| pair.class.clone()),
            Scope::Rank(rank) => format!("rank {rank}"),
            Scope::All => "all ranks".to_owned(),
        }
    }

    /// Hops of a pair: like its class, something by which it is compared.
    pub fn hops_of(&self, scope: Scope) -> Option<u32> {
        self.pairs.get(scope.pair()?)?.hops
    }
}

/// One number about the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Id of the experiment that measured it.
    pub experiment: String,
    /// Stable name, such as `latency`.
    pub id: String,
    /// The ranks for which the number holds.
    #[serde(flatten)]
    pub scope: Scope,
    /// `ns`, `ns/B`, `B/s`, `flop/s`, `B`, `1/s`, `messages`, `1` for a share or a yes, `x` for a ratio.
    pub unit: String,
    /// The number, in the unit above.
    pub value: f64,
    /// Lower end of the 95 % interval; absent where the number is exact or there are too few samples.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
    /// Smallest size for which it holds, bytes.
    pub from_bytes: Option<u64>,
    /// Largest size for which it holds, bytes.
    pub to_bytes: Option<u64>,
    /// The machine was not quiet while it was measured.
    pub disturbed: bool,
    /// What it is, and how it was measured.
    pub text: String,
    /// What to use instead, if the number says that something else is faster.
    pub advice: Option<String>,
}

/// What the places on a curve are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Such as `message size`.
    pub name: String,
    /// `B`, or what is counted, such as `messages`.
    pub unit: String,
}

/// Times by size, or by what else was varied.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Id of the experiment that measured it.
    pub experiment: String,
    /// What is timed, such as `ping-pong`. Parts of a name are separated by `/`.
    pub series: String,
    /// The ranks that were timed.
    #[serde(flatten)]
    pub scope: Scope,
    /// What [`CurvePoint::x`] is.
    pub axis: Axis,
    /// Bytes that are moved in one operation are this many times its size. 0 if nothing is moved. Of all ranks: for the average
    /// rank.
    pub moved: f64,
    /// Time over which the begins of the ranks were spread, ns; 0 if they began at once. Times then count from the begin of the last rank.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skew_ns: u64,
    /// The measured places, in ascending order of `x`.
    pub points: Vec<CurvePoint>,
}

fn is_zero(skew_ns: &u64) -> bool {
    *skew_ns == 0
}

/// The time of one operation at one place of the axis. Of all ranks, it is that of the slowest rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The place, in the unit of the axis.
    pub x: u64,
    /// The median. Like all quantiles here, it is without the warm-up.
    pub median_ns: f64,
    /// Lower end of the 95 % interval of the median; absent below 6 samples.
    pub low_ns: Option<f64>,
    /// Upper end of the interval.
    pub high_ns: Option<f64>,
    /// The fastest sample.
    pub min_ns: f64,
    /// The time below which 5 % of the samples are.
    pub p05_ns: f64,
    /// The time below which 95 % of the samples are.
    pub p95_ns: f64,
    /// The slowest sample.
    pub max_ns: f64,
    /// Of all ranks: the time of the fastest rank, median over the samples.
    pub rank_min_ns: Option<f64>,
    /// Of all ranks: the time of the median rank, median over the samples.
    pub rank_median_ns: Option<f64>,
    /// Samples that count.
    pub samples: u64,
    /// Samples before them, which belong to the warm-up.
    pub warm_up: u64,
    /// Operations of one sample.
    pub operations: u64,
    /// Whether the interval became as narrow as wanted; if not, the time budget ended. Also true of what each job has once, such as `MPI_Init`, for which no
    /// width is wanted.
    pub reached: bool,
    /// Change from the first to the last sample as a share of the median, if there is a trend.
    pub drift_share: Option<f64>,
    /// Median of a second, slower group of samples, if there is one.
    pub second_mode_ns: Option<f64>,
    /// Share of the samples in that group.
    pub second_mode_share: Option<f64>,
}

/// Reads `machine.json` of a profile's directory.
///
/// # Errors
///
/// If the directory or its `machine.json` does not exist, cannot be read, is larger than 64 MiB, is of a newer format, or
/// is not a valid profile.
pub fn read(directory: &Path) -> Result<Profile, MachineError> {
    let path = directory.join(FILE);
    let failed = |error: io::Error| MachineError::Read { path: path.clone(), why: error.to_string() };
    if !directory.exists() {
        return Err(MachineError::Missing(directory.into()));
    }
    let file = match fs::File::open(&path) {
        Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
            return Err(MachineError::NotAProfile(directory.into()));
        }
        other => other.map_err(failed)?,
    };
    let bytes = file.metadata().map_err(failed)?.len();
    if bytes > MOST_BYTES {
        return Err(MachineError::TooLarge { path, bytes });
    }
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text).map_err(failed)?;
    let damaged = |why: String| MachineError::Damaged { path: path.clone(), why };
    // The format first: a newer one may have other fields.
    #[derive(Deserialize)]
    struct Head {
        format: u64,
    }
    let head: Head = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    if head.format > FORMAT {
        return Err(MachineError::Newer { path, format: head.format });
    }
    let profile: Profile = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    let scopes = profile.parameters.iter().map(|p| p.scope).chain(profile.curves.iter().map(|c| c.scope));
    for scope in scopes {
        match scope {
            Scope::Pair(pair) if pair >= profile.pairs.len() => {
                return Err(damaged(format!("it refers to pair {pair}, but has only {}", profile.pairs.len())));
            }
            Scope::Rank(rank) if !(0..profile.mpi.ranks).contains(&rank) => {
                return Err(damaged(format!("it refers to rank {rank}, but has only {}", profile.mpi.ranks)));
            }
            _ => {}
        }
    }
    let mut sends = profile.staircases.iter().flat_map(|staircase| &staircase.sends);
    if let Some(send) = sends.find(|send| !(0..profile.mpi.ranks).contains(&send.rank)) {
        return Err(damaged(format!("it refers to rank {}, but has only {}", send.rank, profile.mpi.ranks)));
    }
    Ok(profile)
}

/// Writes `machine.json`, replacing it as a whole.
///
/// # Errors
///
/// If the file cannot be written or renamed.
pub fn write(directory: &Path, profile: &Profile) -> Result<(), MachineError> {
    let path = directory.join(FILE);
    let failed = |why: String| MachineError::Write { path: path.clone(), why };
    let mut text = serde_json::to_string_pretty(profile).map_err(|error| failed(error.to_string()))?;
    text.push('\n');
    let part = directory.join(format!(".{FILE}.part"));
    fs::write(&part, text).and_then(|()| fs::rename(&part, &path)).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Profile {
        Profile {
            format: FORMAT,
            pairs: vec![Pair { class: "other-node".into(), hops: Some(2), ranks: [0, 1] }],
            parameters: vec![Parameter {
                id: "latency".into(),
                scope: Scope::Pair(0),
                value: 1.5,
                ..Parameter::default()
            }],
            staircases: vec![Staircase { series: "phased".into(), ..Staircase::default() }],
            curves: vec![Curve { scope: Scope::Pair(0), points: vec![CurvePoint::default()], ..Curve::default() }],
            ..Profile::default()
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &example()).unwrap();
        assert_eq!(read(dir.path()).unwrap(), example());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn profiles_without_hops_are_as_before() {
        let dir = tempfile::tempdir().unwrap();
        let mut older = example();
        older.pairs[0].hops = None;
        write(dir.path(), &older).unwrap();
        let text = fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert!(!text.contains("hops") && !text.contains("topology"), "{text}");
        assert_eq!(read(dir.path()).unwrap(), older);
    }

    #[test]
    fn bad_input_is_a_clear_error() {
        let dir = tempfile::tempdir().unwrap();
        let error = || read(dir.path()).unwrap_err().to_string();
        assert!(error().ends_with("is not a machine profile: it has no machine.json"), "{}", error());
        let file = dir.path().join(FILE);
        for (text, part) in [
            ("", "is damaged: EOF"),
            ("[1,2]", "is damaged"),
            (r#"{"format":99}"#, "has format 99, but this mpiscope reads only up to 1"),
            (r#"{"format":1}"#, "missing field"),
            ("\u{0}\u{1}", "is damaged"),
        ] {
            fs::write(&file, text).unwrap();
            assert!(error().contains(part), "{text}: {}", error());
        }
        let mut wrong = example();
        let mut other = example();
        other.staircases = vec![Staircase { sends: vec![SendTimes::default()], ..Staircase::default() }];
        write(dir.path(), &other).unwrap();
        assert!(error().contains("it refers to rank 0, but has only 0"), "{}", error());
        for (scope, part) in [
            (Scope::Pair(7), "it refers to pair 7, but has only 1"),
            (Scope::Rank(2), "it refers to rank 2, but has only 0"),
            (Scope::Rank(-1), "it refers to rank -1"),
        ] {
            wrong.parameters[0].scope = scope;
            write(dir.path(), &wrong).unwrap();
            assert!(error().contains(part), "{}", error());
        }
        let text = fs::read_to_string(&file).unwrap().replacen("\"pair\": 0,", "\"pair\": 0, \"rank\": 0,", 1);
        fs::write(&file, text.replacen("\"rank\": null,", "", 1)).unwrap();
        assert!(error().contains("is damaged"), "{}", error());
        assert!(read(&dir.path().join("none")).unwrap_err().to_string().ends_with("none does not exist"));
        fs::File::create(&file).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert!(error().contains("is too large"), "{}", error());
    }
}
