//! How well time was used, and which ranks cause waits.

use mpiscope_model::{Outcome, Tape};
use mpiscope_store::RankId;
use serde::{Serialize, Serializer};

use super::pop::Efficiencies;

/// Efficiencies of the run and of its regions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Efficiency {
    /// Of the run.
    #[serde(flatten)]
    pub whole: Efficiencies,
    /// Of each region of the program.
    pub regions: Vec<RegionEfficiency>,
    /// Of the iterations of the main loop.
    pub iterations: Option<IterationEfficiency>,
    /// Of each phase of an iteration.
    pub phases: Vec<PhaseEfficiency>,
}

/// Efficiency in a region of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RegionEfficiency {
    /// Its name, with those around it.
    pub region: String,
    /// Its efficiencies.
    #[serde(flatten)]
    pub efficiency: Efficiencies,
    /// Time in it, ns, summed over ranks.
    pub rank_time_ns: u64,
}

/// The chain of computations and calls that determines the length of the run: shortening one of them shortens the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CriticalPath {
    /// Its length, ns.
    pub length_ns: u64,
    /// How often it changes from one rank to another.
    pub jumps: u64,
    /// Computing on it beyond the mean of all ranks at the same place, ns: what a better balance could save.
    pub imbalance_ns: u64,
    /// Its parts, the largest first.
    pub rows: Vec<PathRow>,
}

/// A share of the critical path.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PathRow {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// `computing` or `mpi`.
    pub kind: &'static str,
    /// C name of the function; for computing, of the call after it.
    pub function: &'static str,
    /// Where that is called.
    pub site: Option<String>,
    /// Region of the program.
    pub region: Option<String>,
    /// ns.
    pub ns: u64,
    /// As a share of the path.
    pub share: f64,
}

/// How long a late rank makes others wait.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DelayRow {
    /// The late rank, in `MPI_COMM_WORLD`.
    pub cause_rank: i32,
    /// C name of the function that it enters late.
    pub function: &'static str,
    /// Where that is called.
    pub site: Option<String>,
    /// Region in which the time before it is spent.
    pub region: Option<String>,
    /// Waits for it.
    pub direct_ns: u64,
    /// Waits that it causes, directly or through ranks that waited for it.
    pub total_ns: u64,
}

/// Efficiencies of the main loop's iterations: of each, or of some together where there are many.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct IterationEfficiency {
    /// Iterations in a window; the first and the last may have fewer.
    pub iterations_per_window: u64,
    /// How they vary: least, median and most of all windows but the last, whose end is that of its last call.
    pub spread: Spread,
    /// The windows with the lowest parallel efficiency, the worst first; without the last as well.
    pub worst: Vec<WindowEfficiency>,
    /// All windows.
    pub windows: Series,
}

/// Least, median and most of each efficiency; `None` where no window has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// See [`Efficiencies`].
    pub parallel: Option<[f64; 3]>,
    /// See [`Efficiencies`].
    pub load_balance: Option<[f64; 3]>,
    /// See [`Efficiencies`].
    pub communication: Option<[f64; 3]>,
    /// See [`Efficiencies`].
    pub serialisation: Option<[f64; 3]>,
    /// See [`Efficiencies`].
    pub transfer: Option<[f64; 3]>,
}

/// One window.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WindowEfficiency {
    /// First iteration.
    pub first: u64,
    /// Last iteration.
    pub last: u64,
    /// Beginning on the first rank that comes to it, ns since the origin.
    pub start_ns: u64,
    /// End on the last rank.
    pub end_ns: u64,
    /// Time in it, ns, summed over ranks.
    pub rank_time_ns: u64,
    /// Computing in it, ns, summed over ranks.
    pub computing_ns: u64,
    /// In it.
    #[serde(flatten)]
    pub efficiency: Efficiencies,
}

/// Windows, as one list for each of their numbers: a thousand objects would be ten times as long.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Series {
    /// First iteration of each.
    pub first: Vec<u64>,
    /// As in [`WindowEfficiency`].
    pub start_ns: Vec<u64>,
    /// As in [`WindowEfficiency`].
    pub end_ns: Vec<u64>,
    /// As in [`WindowEfficiency`].
    pub rank_time_ns: Vec<u64>,
    /// As in [`WindowEfficiency`].
    pub computing_ns: Vec<u64>,
    /// See [`Efficiencies`]; to four digits, as all of these.
    #[serde(serialize_with = "shortly")]
    pub parallel: Vec<Option<f64>>,
    /// See [`Efficiencies`].
    #[serde(serialize_with = "shortly")]
    pub load_balance: Vec<Option<f64>>,
    /// See [`Efficiencies`].
    #[serde(serialize_with = "shortly")]
    pub communication: Vec<Option<f64>>,
    /// See [`Efficiencies`].
    #[serde(serialize_with = "shortly")]
    pub serialisation: Vec<Option<f64>>,
    /// See [`Efficiencies`].
    #[serde(serialize_with = "shortly")]
    pub transfer: Vec<Option<f64>>,
}

/// Efficiencies in a phase, all passes through it together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PhaseEfficiency {
    /// Its name, as in the explanation's `phases`, which are in the same order.
    pub phase: String,
    /// Time in it, ns, summed over ranks and iterations.
    pub rank_time_ns: u64,
    /// Computing in it, ns, summed over ranks and iterations.
    pub computing_ns: u64,
    /// In it.
    #[serde(flatten)]
    pub efficiency: Efficiencies,
}

fn shortly<S: Serializer>(list: &[Option<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(list.iter().map(|share| share.map(|s| (s * 1e4).round() / 1e4)))
}

/// The replay of a run in which nothing is changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reproduction {
    /// Share of the calls that are replayed: for long runs, only some intervals, evenly spread.
    pub calls_share: f64,
    /// Time of these intervals in the recorded run, ns.
    pub recorded_ns: u64,
    /// The same in the replay.
    pub replayed_ns: u64,
}

impl Reproduction {
    pub(crate) fn compare(tape: &Tape, recorded: &Outcome) -> Reproduction {
        Reproduction {
            calls_share: tape.share_of_calls(),
            recorded_ns: recorded.recorded_ns,
            replayed_ns: recorded.replayed_ns,
        }
    }
}

/// A late rank and its place: that of the late call, and the region in which the rank was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Delayer {
    /// The rank.
    pub rank: RankId,
    /// Number of the place of the late call.
    pub place: u32,
    /// Region in which the time before it was spent, if known.
    pub region: u32,
}
