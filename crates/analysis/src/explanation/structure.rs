//! What a run repeats, and how its ranks communicate.

use serde::Serialize;

use super::finding::Confidence;

/// The main loop of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Iterations {
    /// Iterations; without those that are separated as warm-up.
    pub count: u64,
    /// Median length.
    pub period_ns: u64,
    /// Median absolute deviation of the lengths.
    pub mad_ns: u64,
    /// Iterations at the beginning that were slower, or separated.
    pub warm_up: Option<WarmUp>,
    /// Site of the first call of an iteration.
    pub marker_site: String,
    /// Function of the first call of an iteration.
    pub marker_function: &'static str,
    /// Ranks that have this loop with this number of iterations.
    pub ranks: u64,
    /// Share of the rank time in it.
    pub share: f64,
    /// Whether the beginning is lost: then numbers count from the first iteration that is left on all ranks.
    pub is_cut: bool,
    /// Iterations that took much longer, the worst first, at most 16.
    pub outliers: Vec<IterationOutlier>,
    /// MPI calls in an iteration, but for those that only ask, of the ranks with fewest and with most; `None` where an iteration is
    /// too long to be kept.
    pub calls: Option<Range>,
    /// Loops inside of it that have most of its calls, the outermost first.
    pub nested: Vec<NestedLoop>,
    /// All loops of a rank inside or around it.
    pub other_loops: Vec<OtherLoop>,
    /// Beginnings of the iterations by rank (index as in [`mpiscope_store::Dimensions::ranks`]); the first some thousands only, and none
    /// for ranks without this loop.
    #[serde(skip)]
    pub starts_ns: Vec<Vec<u64>>,
    /// All iterations in windows.
    #[serde(skip)]
    pub(crate) windows: Windows,
}

impl Iterations {
    /// All of them, as one stretch.
    pub(crate) fn all(&self) -> Vec<(u64, u64)> {
        vec![(0, self.count.saturating_sub(1))]
    }
}

/// Iterations in at most a thousand windows: each its own, or some together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Windows {
    /// First iteration of each; the last number is that of all iterations.
    pub firsts: Vec<u64>,
    /// Iterations in a window, except for the first and the last, which may have fewer.
    pub width: u64,
    /// Of each rank with the loop: its index, and when it begins these iterations.
    pub ranks: Vec<(usize, Vec<u64>)>,
}

/// Iterations at the beginning that differ from the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WarmUp {
    /// How many.
    pub count: u64,
    /// By how much they were longer, in all, on the median rank.
    pub excess_ns: u64,
    /// Whether the program does something between them and the others. If so they are not counted as iterations.
    pub is_apart: bool,
}

/// A iteration that took much longer than the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IterationOutlier {
    /// Its number, from 0.
    pub iteration: u64,
    /// By how much it was longer than the median.
    pub excess_ns: u64,
    /// Ranks whose computation was much longer in it, at most 16; none if it was not a computation.
    pub ranks: Vec<i32>,
}

/// From the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Range {
    /// The least.
    pub least: u64,
    /// The most.
    pub most: u64,
}

/// A loop inside of the main one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NestedLoop {
    /// Its first call.
    pub site: String,
    /// Function of it.
    pub function: &'static str,
    /// Fewest iterations in an iteration of the loop around it.
    pub least: u64,
    /// Most iterations.
    pub most: u64,
}

/// A loop that is not the main one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherLoop {
    /// Its first call.
    pub site: String,
    /// Function of it.
    pub function: &'static str,
    /// Iterations.
    pub count: u64,
    /// Median length.
    pub period_ns: u64,
}

/// A part of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// Region or function of the program; `before …` for a computation without calls.
    pub name: String,
    /// Site of its first call; empty for a computation.
    pub site: String,
    /// MPI functions called in it, in order of first use; none for a computation.
    pub functions: Vec<&'static str>,
    /// Share of an iteration.
    pub share: f64,
    /// Typical length in one iteration, computation between its calls included: median over ranks.
    pub median_ns: u64,
    /// Ranks that go through it in lockstep, each group by itself, if they are several groups of the same size; at most
    /// 64 of them.
    pub groups: Vec<Vec<i32>>,
    /// The axis of the grid along which these groups lie; 0 is the one along which numbers of ranks grow slowest.
    pub axis: Option<u32>,
    /// In words: `rows of 5 in lockstep`; empty without groups.
    pub lockstep: String,
}

/// To which phases the time of calls belongs.
#[derive(Clone, Debug, Default)]
pub(crate) struct InPhases {
    /// Of each rank, by facts; nothing for ranks with other phases.
    pub ranks: Vec<Vec<Option<OfFacts>>>,
}

/// To which phases the time of calls with the same facts belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OfFacts {
    /// That of the calls.
    pub inside: usize,
    /// That of the computing before them, where they follow a call of another phase.
    pub before: usize,
    /// Share of the computing before them that belongs to `before`.
    pub before_share: f64,
    /// Share of it that belongs to `inside`; the rest is outside of the loop.
    pub inside_share: f64,
}

/// How processes are arranged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grid {
    /// Extents; the number of a process grows fastest along the last.
    pub dims: Vec<u32>,
    /// Whether the ends of an axis exchange too.
    pub periodic: Vec<bool>,
    /// `messages`, `communicators` of rows and columns, or `cartesian communicator`.
    pub source: &'static str,
    /// How sure.
    pub confidence: Confidence,
    /// Dimensions along which exchanges go at once: 1 for faces alone, 2 and more with diagonals. `None` where
    /// messages do not tell.
    pub reach: Option<u32>,
    /// The rank (index into [`mpiscope_store::Dimensions::ranks`]) at each place, row-major; empty where that is not known.
    #[serde(skip)]
    pub places: Vec<u32>,
}

/// More about a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PatternDetails {
    /// Partners of the rank that has most of them; of halos.
    pub neighbors: Option<u32>,
    /// Of sweeps and pipelines: `forward` from low ranks to high ones, `backward`, `both`, or `all`: from each corner.
    pub direction: Option<&'static str>,
}

/// A place where ranks wait for each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Synchronisation {
    /// `collective`: all ranks of a group; `messages`: each with those it receives from.
    pub what: &'static str,
    /// MPI function.
    pub function: &'static str,
    /// Where it is called.
    pub site: String,
    /// Label of the communicator if it is one.
    pub comm: String,
    /// Groups that synchronise by themselves.
    pub groups: u64,
    /// Ranks in a group, the largest.
    pub ranks: u64,
    /// Times in an iteration; `None` where there are no iterations.
    pub per_iteration: Option<f64>,
    /// Times on a rank.
    pub count: u64,
    /// In words.
    pub text: String,
}
