//! What a run reached of what its machine can do, as a machine profile says it.

use serde::Serialize;

/// The run beside the curves of a machine profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Attainable {
    /// Messages by pair class and size, and collective operations by function, ranks and size; those with the most time first.
    pub rows: Vec<AttainableRow>,
    /// The exchange of the grid, if the run has one.
    pub halo: Option<Halo>,
    /// What the profile has no numbers for.
    pub left_out: Vec<LeftOut>,
}

/// Messages or collective operations of similar size.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AttainableRow {
    /// `messages`, or the C name of a collective function.
    pub what: &'static str,
    /// Pair class of messages, such as `same-l3`; `None` for collective operations.
    pub pair_class: Option<&'static str>,
    /// Hops between the hosts of the pairs, if they are known.
    pub hops: Option<u32>,
    /// Ranks that take part in one operation: 2 for messages.
    pub ranks: u64,
    /// Smallest size, bytes: of messages the payload, of collective operations as `mpiscope bench` defines it.
    pub from_bytes: u64,
    /// Largest size, bytes.
    pub to_bytes: u64,
    /// Median size, bytes.
    pub bytes: u64,
    /// Messages whose transfer time the run shows, or operations.
    pub count: u64,
    /// Messages of this class and size in the run, or operations.
    pub of: u64,
    /// Sum of their times, ns.
    pub time_ns: u64,
    /// Median time, ns: of a message its transfer, of an operation from the last entry to the last return.
    pub median_ns: u64,
    /// What the machine needs for the median size.
    pub attainable: Estimate,
    /// Attainable time divided by the time of the run, at the size of each; the median of these ratios. 1 is as fast as the profile. Sizes
    /// for which the profile has too few samples do not count; `None` if there are no others.
    pub reached: Option<f64>,
    /// What they took longer than attainable, summed, ns.
    pub excess_ns: u64,
}

/// A time that the profile says, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The median, interpolated between the measured sizes.
    pub ns: f64,
    /// Lower end of its 95 % interval; `None` where the profile has too few samples.
    pub low_ns: Option<f64>,
    /// Upper end.
    pub high_ns: Option<f64>,
    /// The machine was not quiet while it was measured.
    pub is_disturbed: bool,
}

/// The exchange of a grid, and what it would be with other grids of as many ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Halo {
    /// Iterations to which the numbers refer; `None` if there is no main loop: then they are those of the whole run.
    pub iterations: Option<u64>,
    /// Time in the calls of the exchange, median over ranks, ns in an iteration; `None` where events are missing.
    pub median_ns: Option<u64>,
    /// The same of the rank with the most.
    pub max_ns: Option<u64>,
    /// That rank, in `MPI_COMM_WORLD`.
    pub max_rank: Option<i32>,
    /// What of the median is waiting for other ranks, ns; the median of these times.
    pub waiting_ns: Option<u64>,
    /// Bytes of one message along each axis of the run's own grid, on average; `None` along axes without messages.
    pub axis_bytes: Vec<Option<u64>>,
    /// Share of the messages that do not go along one axis: to diagonal neighbours, or beyond. Costs of shapes are without them.
    pub other_share: f64,
    /// The run's own grid first, then the best of one, two and three divided axes.
    pub shapes: Vec<Shape>,
}

/// A grid and the cost of its exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shape {
    /// Extents.
    pub dims: Vec<u32>,
    /// Whether it is that of the run.
    pub is_own: bool,
    /// Whether it divides an axis that the run does not divide: it is assumed as long as the others.
    pub is_assumed: bool,
    /// Messages that the rank with the highest cost sends in an iteration.
    pub messages: f64,
    /// Bytes of these: the surface of its part.
    pub bytes: f64,
    /// Their surface divided by that of the run's own grid. The volume is the same: so it is the ratio of surface to volume, too.
    pub surface: f64,
    /// Time of these messages one after another, by the curve of each pair; `None` where the profile has no time for one of them.
    pub attainable: Option<Estimate>,
}

/// Messages or operations that are not compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LeftOut {
    /// As in [`AttainableRow::what`].
    pub what: &'static str,
    /// As in rows.
    pub pair_class: Option<&'static str>,
    /// Hops between the hosts of the pairs, if they are known.
    pub hops: Option<u32>,
    /// As in rows.
    pub ranks: u64,
    /// How many.
    pub count: u64,
    /// Their time, ns: as in rows.
    pub time_ns: u64,
    /// What the profile lacks.
    pub why: String,
    /// The command that measures it; `None` if mpiscope has no experiment for it.
    pub command: Option<String>,
}
