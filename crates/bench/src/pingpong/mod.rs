//! `pingpong`: messages between two ranks, for one pair of ranks of each distance.
//!
//! The leader of a pair measures, its partner does what the leader's control messages say. In each round the leader takes one
//! sample at every size of every series that is not yet measured well enough, in a new random order: slow moments of the
//! machine then spread over all sizes, and drift is visible. A sample is a batch of operations that takes [`BATCH`], so that
//! reading the clock costs nothing.
//!
//! Source: Culler et al., *LogP* (1993), Alexandrov et al., *LogGP* (1995); Hoefler et al., *Netgauge* (2007) for the overheads.

mod kinds;
mod link;
mod local_send;
mod parameters;
mod refine;

use std::time::{Duration, Instant};

use mpiscope_statistics::{Estimate, median, median_interval, sorted};

use crate::error::BenchError;
use crate::experiment::Experiment;
use crate::journal::Line;
use crate::point::{is_reached, settled};
use crate::session::Session;
use kinds::{KINDS, Kind};
use link::{Control, Link};
use refine::CurvePoint;

pub const EXPERIMENT: Experiment = Experiment {
    id: "pingpong",
    what: "messages between two ranks, one pair for each distance (same L3, NUMA node, package, host, other host)",
    measures: "time and bandwidth by size, blocking and non-blocking, in one and both directions, expected and unexpected",
    parameters: "latency, LogGP's o_s, o_r, L, g and G for each protocol, up to which size a send needs no receiver, bandwidths",
    source: "LogP (Culler 1993), LogGP (Alexandrov 1995); Gropp and Lusk, Programming in MPI for Performance",
    fewest_ranks: 2,
    run,
    parameters_of: parameters::parameters,
    moved: kinds::moved,
    shown: |curve| !parameters::is_overhead(&curve.series),
};

/// Length of a sample. 10,000 times the cost of reading the clock.
const BATCH: Duration = Duration::from_micros(250);
/// Samples of each size after which the curve is searched for jumps.
const SAMPLES_BEFORE_JUMPS: usize = 8;
/// Most sizes that are added in jumps.
const MOST_IN_JUMPS: usize = 40;
/// Most operations of a sample.
const MOST_OPERATIONS: u64 = 1000;
/// Shortest time between lines of progress.
const PROGRESS: Duration = Duration::from_millis(200);

/// One size of one series.
struct Point {
    kind: Kind,
    bytes: usize,
    operations: u64,
    times: Vec<f64>,
}

impl Point {
    fn new(kind: Kind, bytes: usize) -> Point {
        Point { kind, bytes, operations: 0, times: Vec::new() }
    }
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let budget = session.budget / session.pairs.len().max(1) as u32;
    for pair in 0..session.pairs.len() {
        let [leader, partner] = session.pairs[pair].ranks;
        if session.rank == leader {
            lead(session, pair, partner, budget)?;
            session.release(partner)?;
        } else if session.rank == partner {
            follow(session, leader)?;
        } else {
            session.idle(leader)?;
        }
    }
    Ok(())
}

fn lead(session: &mut Session, pair: usize, partner: i32, budget: Duration) -> Result<(), BenchError> {
    let begun = Instant::now();
    let most = session.plan.max_bytes;
    let mut random = fastrand::Rng::with_seed(session.plan.seed ^ pair as u64);
    let mut link = Link::new(session.mpi, session.rank, partner, most)?;
    if let Some(limit) = local_send::limit(&mut link, most)? {
        let is_open = f64::from(u8::from(limit.is_open));
        for (id, value) in [("local_send_limit", limit.bytes as f64), ("local_send_is_open", is_open)] {
            session.record(Line::Fact { experiment: session.experiment.to_owned(), id: id.to_owned(), pair, value });
        }
    }

    let mut points: Vec<Point> = KINDS
        .iter()
        .flat_map(|&kind| kind.sizes(most).into_iter().map(move |bytes| (kind, bytes)))
        .map(|(kind, bytes)| Point::new(kind, bytes))
        .collect();
    let without_jumps = points.len();
    let mut active: Vec<usize> = (0..points.len()).collect();
    let mut said = Instant::now();
    for round in 0.. {
        random.shuffle(&mut active);
        for &at in &active {
            // The first round is always complete: every size has a sample, and every buffer is verified.
            if round > 0 && begun.elapsed() >= budget {
                break;
            }
            let point = &mut points[at];
            if point.operations == 0 {
                link.verify(point.kind, point.bytes)?;
                point.operations = operations(&mut link, point.kind, point.bytes)?;
            }
            let (operations, time_ns) = link.lead(point.kind, point.bytes, point.operations)?;
            point.times.push(time_ns);
            let line = Line::Sample {
                experiment: session.experiment.to_owned(),
                series: point.kind.series().to_owned(),
                pair,
                bytes: point.bytes as u64,
                at_ns: session.begun.elapsed().as_nanos() as u64,
                operations,
                time_ns,
            };
            session.record(line);
            if said.elapsed() >= PROGRESS {
                said = Instant::now();
                // It ends when all points are reached, or with the budget.
                let reached = (points.len() - active.len()) as f64 / points.len() as f64;
                let spent = begun.elapsed().as_secs_f64() / budget.as_secs_f64().max(1e-3);
                let done = (100.0 * reached.max(spent)).min(99.0) as u64;
                session.record(Line::Progress { experiment: session.experiment.to_owned(), pair, done, all: 100 });
                session.flush()?;
            }
        }
        active.retain(|&at| !is_reached(settled(&points[at].times)));
        for bytes in sizes_in_jumps(&points).into_iter().take(MOST_IN_JUMPS - (points.len() - without_jumps)) {
            active.push(points.len());
            points.push(Point::new(Kind::PingPong, bytes));
        }
        session.flush()?;
        if active.is_empty() || begun.elapsed() >= budget {
            break;
        }
    }
    link.control(&Control::END)
}

/// Sizes at which the curve of the ping-pong has to be known better; none before all its sizes have some samples.
fn sizes_in_jumps(points: &[Point]) -> Vec<usize> {
    let of_curve = |point: &&Point| point.kind == Kind::PingPong && !kinds::is_held_out(point.bytes as u64);
    let curve: Vec<&Point> = points.iter().filter(of_curve).collect();
    if curve.iter().any(|point| point.times.len() < SAMPLES_BEFORE_JUMPS) {
        return Vec::new();
    }
    let mut curve: Vec<CurvePoint> = curve
        .iter()
        .filter_map(|point| {
            let sorted = sorted(settled(&point.times));
            let (low, high) = median_interval(&sorted)?;
            let median = Estimate { value: median(&sorted), low, high };
            let relative_error = median.relative_error();
            Some(CurvePoint { bytes: point.bytes, median_ns: median.value, relative_error })
        })
        .collect();
    curve.sort_unstable_by_key(|point| point.bytes);
    let mut sizes = refine::sizes_in_jumps(&curve);
    sizes.retain(|&bytes| !kinds::is_held_out(bytes as u64));
    sizes
}

/// How many operations take about [`BATCH`].
fn operations(link: &mut Link, kind: Kind, bytes: usize) -> Result<u64, BenchError> {
    let mut count = 1;
    for _ in 0..3 {
        let (done, time_ns) = link.lead(kind, bytes, count)?;
        let wanted = (BATCH.as_nanos() as f64 / time_ns.max(1.0)).ceil() as u64;
        count = wanted.clamp(1, MOST_OPERATIONS);
        // The first operations are slow: caches, connections. Once most of a batch was measured, the number is good.
        if done * 2 >= count {
            break;
        }
    }
    Ok(count)
}

fn follow(session: &mut Session, leader: i32) -> Result<(), BenchError> {
    let mut link = Link::new(session.mpi, session.rank, leader, session.plan.max_bytes)?;
    loop {
        let control = link.controlled()?;
        match control {
            Control::END => return Ok(()),
            Control { operations: 0, .. } => local_send::follow(&mut link, &control)?,
            _ => link.follow(&control)?,
        }
    }
}
