//! `pingpong`: messages between two ranks, for one pair of ranks of each distance.
//!
//! The leader of a pair measures, its partner does what the leader's control messages say. Which size is next, and how many operations
//! a sample has: [`crate::schedule`].
//!
//! In the end every rank exchanges messages with a few others, so that one whose messages are slow is found ([`each`], [`slow`]).
//!
//! Source: Culler et al., *LogP* (1993), Alexandrov et al., *LogGP* (1995); Hoefler et al., *Netgauge* (2007) for the overheads.

mod each;
mod eager;
mod kinds;
mod link;
mod local_send;
mod parameters;
mod refine;
pub mod slow;

use std::time::{Duration, Instant};

use mpiscope_machine::Scope;
use mpiscope_statistics::{Estimate, median, median_interval, sorted};

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::point::settled;
use crate::schedule::{Batch, Place, Schedule};
use crate::session::Session;
use kinds::{KINDS, Kind};
use link::{Control, Link};
use refine::CurvePoint;

pub const EXPERIMENT: Experiment = Experiment {
    id: "pingpong",
    what: "messages between two ranks, one pair for each distance (same L2, L3, NUMA node, package, host, other host, or its hops)",
    measures: "time and bandwidth by size, blocking and non-blocking, in one and both directions, expected and unexpected",
    parameters: "latency, LogGP's o_s, o_r, L, g and G for each protocol, up to which size a send needs no receiver, the eager limit by the MPI's own variable, bandwidths; from three ranks on, how much slower the messages of each rank are",
    source: "LogP (Culler 1993), LogGP (Alexandrov 1995); Gropp and Lusk, Programming in MPI for Performance",
    fewest_ranks: 2,
    run,
    parameters_of: |measured| [parameters::parameters(measured), slow::slowdowns(measured)].concat(),
    weight: 3,
    is_standard: true,
    axis: |_| MESSAGE_SIZE,
    table: Table {
        numbers: Numbers::RatesFrom(4096),
        rows: Rows::Places(kinds::head),
        // Sizes with which only the fit is checked are left out.
        shown: |series, bytes| !parameters::is_overhead(series) && (bytes == 0 || bytes.is_power_of_two()),
    },
};

/// Rounds after which the curve is searched for jumps.
const ROUNDS_BEFORE_JUMPS: usize = 8;
/// Most sizes that are added in jumps.
const MOST_IN_JUMPS: usize = 40;

fn run(session: &mut Session) -> Result<(), BenchError> {
    let time_of_each = each::time(session);
    let budget = (session.budget - time_of_each) / session.pairs.len().max(1) as u32;
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
    each::measure(session, time_of_each)
}

fn lead(session: &mut Session, pair: usize, partner: i32, budget: Duration) -> Result<(), BenchError> {
    let begun = Instant::now();
    let most = session.plan.max_bytes;
    let mut link = Link::new(session.mpi, session.rank, partner, most)?;
    if let Some(limit) = local_send::limit(&mut link, most)? {
        let is_open = f64::from(u8::from(limit.is_open));
        for (id, value) in [("local_send_limit", limit.bytes as f64), ("local_send_is_open", is_open)] {
            session.fact(Scope::Pair(pair), id, value);
        }
    }
    eager::record(session, pair);
    let mut points: Vec<(Kind, usize)> =
        KINDS.iter().flat_map(|&kind| kind.sizes(most).into_iter().map(move |bytes| (kind, bytes))).collect();
    let place = |&(kind, bytes): &(Kind, usize)| {
        let series = kind.series().to_owned();
        Place { moved: kinds::moved(&series), series, x: bytes as u64 }
    };
    let seed = session.plan.seed ^ pair as u64;
    let mut schedule = session.schedule(points.iter().map(place).collect(), seed, begun, budget);
    let (most_points, mut searched) = (points.len() + MOST_IN_JUMPS, 0);
    loop {
        let next = schedule.next();
        // Sizes that were added need some samples before the next search.
        if next.is_none() || schedule.rounds() >= searched + ROUNDS_BEFORE_JUMPS {
            searched = schedule.rounds();
            let known = points.len();
            for bytes in sizes_in_jumps(&points, &schedule).into_iter().take(most_points - known) {
                schedule.add(place(&(Kind::PingPong, bytes)));
                points.push((Kind::PingPong, bytes));
            }
            if next.is_none() && points.len() == known {
                break;
            }
        }
        let Some(at) = next else { continue };
        let (kind, bytes) = points[at];
        let count = match schedule.operations(at) {
            Some(count) => count,
            None => {
                link.verify(kind, bytes)?;
                schedule.calibrate(at, |count| link.lead(kind, bytes, count))?
            }
        };
        let (operations, time_ns) = link.lead(kind, bytes, count)?;
        schedule.sample(session, Scope::Pair(pair), at, &Batch { operations, time_ns, ranks_ns: None })?;
    }
    link.control(&Control::END)
}

/// Sizes at which the curve of the ping-pong has to be known better.
fn sizes_in_jumps(points: &[(Kind, usize)], schedule: &Schedule) -> Vec<usize> {
    let mut curve: Vec<CurvePoint> = points
        .iter()
        .enumerate()
        .filter(|(_, (kind, bytes))| *kind == Kind::PingPong && !kinds::is_held_out(*bytes as u64))
        .filter_map(|(at, &(_, bytes))| {
            let sorted = sorted(settled(schedule.times(at)));
            let (low, high) = median_interval(&sorted)?;
            let median = Estimate { value: median(&sorted), low, high };
            Some(CurvePoint { bytes, median_ns: median.value, relative_error: median.relative_error() })
        })
        .collect();
    curve.sort_unstable_by_key(|point| point.bytes);
    let mut sizes = refine::sizes_in_jumps(&curve);
    sizes.retain(|&bytes| !points.contains(&(Kind::PingPong, bytes)));
    sizes
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
