//! `memory`: rates of loops and latencies of loads by working set, with small and with huge pages.
//!
//! Rank 0 measures alone while the others sleep: loops, then chains of loads. Then one rank for each processor runs the same loop at once. A sample is
//! a batch of passes through a working set that was filled before; the time is that of one pass, or of one load.
//!
//! Sources: McCalpin, *STREAM* (1995); McVoy and Staelin, *lmbench* (1996); Williams et al., *Roofline* (2009).

mod bandwidth;
mod block;
mod caches;
mod chase;
mod cores;
mod kernels;
mod levels;
mod parameters;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use mpiscope_launch::node::numbers;
use mpiscope_machine::Scope;
use mpiscope_mpi::{Rank, Tag};

use crate::alone::{Turns, alone};
use crate::crew::{Crew, one_for_each_processor};
use crate::error::BenchError;
use crate::experiment::{AxisOf, Experiment, Numbers, Rows, Table};
use crate::processors::{self, own_processor};
use crate::rounds::{Together, together_as};
use crate::schedule::Place;
use crate::session::Session;
use crate::windows::spread::move_to;
use bandwidth::Blocks;
use block::{Block, Pages};
use caches::Cache;
use chase::{Ring, Stride};
use cores::Share;
use kernels::{KERNELS, Kernel};

pub const EXPERIMENT: Experiment = Experiment {
    id: "memory",
    what: "loops over arrays and chains of loads, by working set, with 4 KiB and with huge pages; one rank, and one for each processor at once; of memory also on 2, 4, … processors",
    measures: "read, copy, scale, add and triad from L1 to memory; latency of a load; cost of a miss in the TLB",
    parameters: "rates and latencies of L1, L2, L3 and memory; what a page walk adds, and from which size",
    source: "STREAM (McCalpin 1995), lmbench (McVoy and Staelin 1996), Roofline (Williams 2009)",
    fewest_ranks: 1,
    weight: 2,
    is_standard: true,
    run,
    parameters_of: parameters::parameters,
    axis: |_| AxisOf { name: "working set", unit: "B" },
    table: Table {
        numbers: Numbers::Rates,
        rows: Rows::Places(head),
        shown: |series, _| {
            [Kernel::Read.name(), Kernel::Copy.name(), Kernel::Triad.name(), CHASE, PAGES].contains(&series)
        },
    },
};

/// Most time without a smaller `--budget`.
const MOST_TIME: Duration = Duration::from_secs(14);
/// Shares of the time: loops of one rank, each of four kinds of chains, loops of all ranks.
const LOOPS: f64 = 0.35;
const CHAIN: f64 = 0.075;
const LOOPS_OF_ALL: f64 = 0.35;
/// Share of the free memory that all ranks use: other programs of the host need memory, too.
const MEMORY_SHARE: usize = 4;
/// Loads of a chain for each operation: one alone is shorter than reading the clock.
const LOADS: u32 = 100;
/// The rank that measures alone.
const FIRST: Rank = 0;
const AGREE: Tag = 7401;

/// Suffix of the names of series in huge pages.
const HUGE: &str = "-huge";
const CHASE: &str = "chase";
const PAGES: &str = "pages";

/// One size of one loop.
#[derive(Clone, Copy)]
struct Point {
    kernel: Kernel,
    pages: Pages,
    bytes: usize,
}

/// Stable name.
fn series(name: &str, pages: Pages) -> String {
    match pages {
        Pages::Small => name.to_owned(),
        Pages::Huge => format!("{name}{HUGE}"),
    }
}

/// The head of a series' column.
fn head(series: &str) -> &'static str {
    match series {
        CHASE => "load",
        PAGES => "by page",
        _ => KERNELS.iter().map(|kernel| kernel.name()).find(|name| *name == series).unwrap_or(""),
    }
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let budget = session.budget.min(MOST_TIME);
    let caches = caches::caches(Path::new("/sys/devices/system"), processor());
    let free = caches::free_bytes(Path::new("/")).unwrap_or(usize::MAX);
    let (ranks, processors) = of_host(session);
    // Two blocks for each rank that measures.
    let last = caches.last().map(|cache| cache.bytes);
    let uncached = 2 * last.unwrap_or(levels::UNKNOWN_LAST);
    let sizes = levels::sizes(last, free / MEMORY_SHARE / 2 / ranks.max(1));
    if session.rank == FIRST {
        facts(session, &caches, ranks, processors);
    }
    session.budget = budget.mul_f64(LOOPS);
    let largest = loops(session, &sizes, uncached)?;
    session.budget = budget.mul_f64(CHAIN);
    let sizes_of_chains: Vec<usize> = sizes.iter().copied().filter(|&bytes| bytes <= largest).collect();
    for pages in [Pages::Small, Pages::Huge] {
        for stride in [Stride::Line, Stride::Page] {
            chain(session, &sizes_of_chains, pages, stride)?;
        }
    }
    session.budget = budget.mul_f64(LOOPS_OF_ALL);
    one_for_each_processor(session, |session, crew| loops_of_all(session, crew, &sizes, uncached))
}

/// The processor that this thread runs on.
fn processor() -> u32 {
    // SAFETY: no arguments.
    u32::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0)
}

/// How many ranks of this rank's host measure at once, and how many processors they may use.
fn of_host(session: &Session) -> (usize, usize) {
    let host = session.places.get(session.rank as usize).map(|place| place.host.as_str());
    let here: Vec<_> = session.places.iter().filter(|place| Some(place.host.as_str()) == host).collect();
    let processors: BTreeSet<u32> = here.iter().flat_map(|place| numbers(&place.cpus)).collect();
    let measuring = processors::measuring(&session.places);
    (here.iter().filter(|place| measuring.contains(&place.rank)).count(), processors.len())
}

/// Records the caches, and how many ranks share each of them if all measure at once.
fn facts(session: &mut Session, caches: &[Cache], ranks: usize, processors: usize) {
    processors::record(session);
    for cache in caches {
        let sharing = (ranks * cache.processors.min(processors)).div_ceil(processors.max(1)).max(1);
        session.fact(Scope::All, &format!("L{}_bytes", cache.level), cache.bytes as f64);
        session.fact(Scope::All, &format!("L{}_sharing", cache.level), sharing as f64);
    }
}

/// Rates of one rank. On that rank, the largest working set for which there is memory.
fn loops(session: &mut Session, sizes: &[usize], uncached: usize) -> Result<usize, BenchError> {
    let mut blocks = Some(sizes).filter(|_| session.rank == FIRST).and_then(|sizes| Blocks::new(sizes, uncached));
    let largest = blocks.as_ref().map_or(0, Blocks::bytes);
    if session.rank == FIRST {
        missing(session, sizes, blocks.as_ref());
    }
    let points = blocks.as_ref().map_or_else(Vec::new, |blocks| points(blocks, sizes));
    let mut is_verified = vec![false; points.len()];
    alone(session, &[FIRST], Turns::OneAfterAnother, &places(&points), &mut |at, passes| {
        let Some(blocks) = &mut blocks else { return Ok(Duration::ZERO) };
        if !std::mem::replace(&mut is_verified[at], true) {
            verify(FIRST, blocks, points[at])?;
        }
        let Point { kernel, pages, bytes } = points[at];
        Ok(blocks.time(kernel, pages, bytes, passes))
    })?;
    Ok(largest)
}

/// Reports what the host does not give.
fn missing(session: &mut Session, sizes: &[usize], blocks: Option<&Blocks>) {
    let Some(blocks) = blocks else {
        return session.problem("memory: there is no memory for any working set".to_owned());
    };
    if let Some(&wanted) = sizes.last().filter(|&&wanted| wanted > blocks.bytes()) {
        let (wanted, had) = (mpiscope_units::bytes(wanted as u64), mpiscope_units::bytes(blocks.bytes() as u64));
        session.problem(format!("memory: there is no memory for a working set of {wanted}; the largest is {had}"));
    }
    if !blocks.has(Pages::Huge) {
        let file = "/sys/kernel/mm/transparent_hugepage/enabled";
        session.problem(format!("memory: the kernel gives no huge pages ({file}), which are left out"));
    }
}

fn points(blocks: &Blocks, sizes: &[usize]) -> Vec<Point> {
    let mut points = Vec::new();
    for &bytes in sizes.iter().filter(|&&bytes| bytes <= blocks.bytes()) {
        for kernel in KERNELS {
            for pages in [Pages::Small, Pages::Huge].into_iter().filter(|&pages| blocks.has(pages)) {
                points.push(Point { kernel, pages, bytes });
            }
        }
    }
    points
}

fn places(points: &[Point]) -> Vec<Place> {
    let place =
        |point: &Point| Place { series: series(point.kernel.name(), point.pages), x: point.bytes as u64, moved: 1.0 };
    points.iter().map(place).collect()
}

fn verify(rank: Rank, blocks: &mut Blocks, point: Point) -> Result<(), BenchError> {
    let Point { kernel, pages, bytes } = point;
    match blocks.verify(kernel, pages, bytes) {
        None => Ok(()),
        Some(at) => Err(BenchError::WrongResult { kernel: kernel.name(), bytes, rank, at }),
    }
}

/// Latencies for one size of pages and one stride, on one rank.
fn chain(session: &mut Session, sizes: &[usize], pages: Pages, stride: Stride) -> Result<(), BenchError> {
    let mut random = fastrand::Rng::with_seed(session.plan.seed);
    let room = sizes.iter().map(|bytes| bytes.next_multiple_of(block::PAGE_BYTES)).sum();
    let block = Some(room).filter(|_| session.rank == FIRST).and_then(|room| Block::new(room, pages));
    let mut block = block.filter(|block| pages == Pages::Small || block.huge_bytes() >= block.bytes() / 2);
    let rings = block.as_mut().and_then(|block| Ring::several(block, stride, sizes, &mut random));
    let mut rings = rings.unwrap_or_default();
    let name = series(if stride == Stride::Line { CHASE } else { PAGES }, pages);
    let place = |&bytes: &usize| Place { series: name.clone(), x: bytes as u64, moved: 0.0 };
    let places: Vec<Place> = sizes.iter().take(rings.len()).map(place).collect();
    alone(session, &[FIRST], Turns::OneAfterAnother, &places, &mut |at, count| {
        rings[at].touch();
        let start = Instant::now();
        rings[at].walk(count * u64::from(LOADS));
        Ok(start.elapsed() / LOADS)
    })
}

/// What one rank for each processor does at once.
struct All<'a> {
    rank: Rank,
    processor: Option<usize>,
    share: Share,
    blocks: &'a mut Blocks,
    points: &'a [Point],
}

impl Together for All<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        verify(self.rank, self.blocks, self.points[at])
    }

    fn batch(&mut self, at: usize, passes: u64) -> Result<Option<Duration>, BenchError> {
        if !self.share.includes(at) {
            return Ok(None);
        }
        let Point { kernel, pages, bytes } = self.points[at];
        self.processor.into_iter().for_each(move_to);
        Ok(Some(self.blocks.time(kernel, pages, bytes, passes)))
    }
}

/// Rates of one rank for each processor at once. With more ranks than processors, barriers take longer, although the others sleep: then only loops of
/// which every level has a parameter, and the others of the largest working set, so that each has samples enough for an interval.
fn loops_of_all(session: &mut Session, crew: &Crew, sizes: &[usize], uncached: usize) -> Result<(), BenchError> {
    let processor = own_processor(&session.places, session.rank);
    // Pages are near the processor that writes them first.
    processor.into_iter().for_each(move_to);
    let blocks = Blocks::new(sizes, uncached);
    let own = blocks.as_ref().map_or(0, Blocks::bytes);
    let has_huge = blocks.as_ref().is_some_and(|blocks| blocks.has(Pages::Huge));
    let largest = smallest(session, crew, own as u64)? as usize;
    let has_huge = smallest(session, crew, has_huge.into())? == 1;
    let Some(mut blocks) = blocks.filter(|_| largest > 0) else { return Ok(()) };
    let mut points = points(&blocks, sizes);
    points.retain(|point| point.bytes <= largest && (has_huge || point.pages == Pages::Small));
    if session.is_crowded {
        let last = points.iter().map(|point| point.bytes).max();
        let is_everywhere =
            |point: &Point| point.pages == Pages::Small && parameters::EVERYWHERE.contains(&point.kernel.name());
        points.retain(|point| is_everywhere(point) || Some(point.bytes) == last);
    }
    let mut places = places(&points);
    let of_host = cores::of_first_host(&session.places);
    let few = cores::cases(&points, &cores::numbers(&of_host, &session.places));
    let share = Share {
        of_all: points.len(),
        cores: few.iter().map(|case| case.cores).collect(),
        number: of_host.iter().position(|&rank| rank == session.rank),
    };
    places.extend(few.iter().map(cores::Case::place));
    points.extend(few.iter().map(|case| case.point));
    let mut all = All { rank: session.rank, processor, share, blocks: &mut blocks, points: &points };
    together_as(crew, session, places, &mut all)
}

/// The smallest of what the ranks give that take part.
fn smallest(session: &Session, crew: &Crew, own: u64) -> Result<u64, BenchError> {
    let mut word = own.to_ne_bytes();
    if session.rank != 0 {
        session.mpi.send(&word, 0, AGREE)?;
        session.mpi.recv(&mut word, 0, AGREE)?;
        return Ok(u64::from_ne_bytes(word));
    }
    let mut least = own;
    for rank in crew.others() {
        session.mpi.recv(&mut word, rank, AGREE)?;
        least = least.min(u64::from_ne_bytes(word));
    }
    for rank in crew.others() {
        session.mpi.send(&least.to_ne_bytes(), rank, AGREE)?;
    }
    Ok(least)
}
