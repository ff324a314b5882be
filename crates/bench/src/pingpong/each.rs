//! Messages of each rank, with a few others: from these follows whether the messages of one rank are slow.
//!
//! Rank 0 starts one pair after the other, while all other ranks sleep; the lower rank of a pair measures and sends its times to rank 0. Pairs of the same
//! rank do not follow each other, all are measured twice, and those of a rank that looks slow several times more, so that a slow moment of the machine is
//! not taken for a slow rank: the fastest time of a pair counts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use mpiscope_machine::Scope;
use mpiscope_mpi::{Mpi, Rank, Tag};
use mpiscope_statistics::{median, median_interval, sorted};

use super::kinds::Kind;
use super::link::{Control, Link};
use super::slow;
use crate::error::BenchError;
use crate::point::settled;
use crate::rounds::{END, Order, receive_words, send_words};
use crate::schedule::{Place, Schedule};
use crate::session::Session;

/// With fewer ranks, a pair cannot be compared with one of other ranks.
const FEWEST_RANKS: i32 = 3;
/// One message for latency, one for bandwidth.
const SIZES: [usize; 2] = [8, 64 << 10];
/// Samples of a size. What is searched for is slower by half, for which their interval is narrow enough.
const ROUNDS: usize = 12;
/// Time for a pair, if it has enough samples by then for an interval.
const TIME: Duration = Duration::from_millis(20);
const FEWEST_ROUNDS: usize = 8;
/// How often all pairs are measured.
const PASSES: usize = 2;
/// How often those of ranks that look slow are then measured again.
const AGAIN: usize = 3;
/// Of the time of the experiment, one part in so many is for this.
const SHARE: u32 = 4;
const TIMES: Tag = 7111;
/// Interval at which rank 0 looks whether a pair is done.
const NAP: Duration = Duration::from_micros(500);

/// Time of one message of a pair, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// Pairs at the same distance have the same.
    pub distance: usize,
    pub ranks: [Rank; 2],
    pub bytes: u64,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The name of its facts, which are of the first pair that has the distance.
const FACT: &str = "between";

impl Between {
    fn record(&self, session: &mut Session) {
        let [a, b] = self.ranks;
        for (end, value) in [("value", self.value), ("low", self.low), ("high", self.high)] {
            session.fact(Scope::Pair(self.distance), &format!("{FACT}_{a}_{b}_{}_{end}", self.bytes), value);
        }
    }

    /// From its facts, the first of which this is.
    pub fn of_fact(scope: Scope, id: &str, fact: impl Fn(&str) -> Option<f64>) -> Option<Between> {
        let name = id.strip_prefix(FACT)?.strip_prefix('_')?.strip_suffix("_value")?;
        let mut numbers = name.split('_').map(str::parse::<u32>);
        let mut next = || numbers.next()?.ok();
        let (ranks, bytes) = ([next()? as Rank, next()? as Rank], next()?);
        let end = |end: &str| fact(&format!("{FACT}_{name}_{end}"));
        Some(Between {
            distance: scope.pair()?,
            ranks,
            bytes: bytes.into(),
            value: fact(id)?,
            low: end("low")?,
            high: end("high")?,
        })
    }
}

/// Each rank with the next ones, and with the one half of the ranks away, which often is on another host.
fn pairs_of(size: i32) -> Vec<[Rank; 2]> {
    let mut seen = BTreeSet::new();
    let every_other = move |first: i32| (first..size).step_by(2);
    let ranks = move || every_other(0).chain(every_other(1));
    let all = [1, 2, size / 2].into_iter().flat_map(|shift| ranks().map(move |rank| (rank, (rank + shift) % size)));
    let all = all.filter(|(a, b)| a != b).map(|(a, b)| [a.min(b), a.max(b)]);
    all.filter(|pair| seen.insert(*pair)).collect()
}

/// What it takes of the time of the experiment.
pub fn time(session: &Session) -> Duration {
    let is_measured = session.size >= FEWEST_RANKS && session.is_whole();
    if is_measured { session.budget / SHARE } else { Duration::ZERO }
}

/// Measures the pairs in this time. Every rank calls it.
pub fn measure(session: &mut Session, time: Duration) -> Result<(), BenchError> {
    if time.is_zero() {
        return Ok(());
    }
    let most = session.plan.max_bytes;
    let sizes: Vec<usize> = SIZES.into_iter().filter(|&bytes| bytes <= most || bytes == SIZES[0]).collect();
    let pairs = pairs_of(session.size);
    if session.rank != 0 {
        return follow(session, &pairs, &sizes);
    }
    let mpi = session.mpi;
    let mut rounds = Rounds {
        mpi,
        ends: Instant::now() + time,
        distances: session.distances(&pairs),
        pairs: &pairs,
        sizes: &sizes,
        found: BTreeMap::new(),
    };
    let is_complete = rounds.measure_all()?;
    (1..session.size).try_for_each(|rank| Order { at: END, operations: 1 }.send(mpi, rank))?;
    if is_complete {
        rounds.found().iter().for_each(|between| between.record(session));
    } else {
        session.problem("pingpong: the time budget ended before the messages of all ranks were compared".to_owned());
    }
    session.flush()
}

/// Rank 0's view of the pairs.
struct Rounds<'a> {
    mpi: &'a Mpi,
    ends: Instant,
    pairs: &'a [[Rank; 2]],
    /// Of each pair.
    distances: Vec<Option<usize>>,
    sizes: &'a [usize],
    /// By pair and size: the fastest.
    found: BTreeMap<(usize, usize), Between>,
}

impl Rounds<'_> {
    /// Whether there was time for all. If not, some ranks may look slow that are not.
    fn measure_all(&mut self) -> Result<bool, BenchError> {
        for _ in 0..PASSES {
            if !self.measure(|_| true)? {
                return Ok(false);
            }
        }
        for _ in 0..AGAIN {
            let suspects = slow::suspects(&self.found());
            if suspects.is_empty() {
                break;
            }
            if !self.measure(|pair| pair.iter().any(|rank| suspects.contains(rank)))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Measures some of the pairs; whether there was time for all.
    fn measure(&mut self, is_wanted: impl Fn(&[Rank; 2]) -> bool) -> Result<bool, BenchError> {
        for (at, &pair) in self.pairs.iter().enumerate().filter(|(_, pair)| is_wanted(pair)) {
            if Instant::now() >= self.ends {
                return Ok(false);
            }
            for rank in pair.into_iter().filter(|&rank| rank != 0) {
                Order { at: at as u64, operations: 1 }.send(self.mpi, rank)?;
            }
            let times = match pair[0] {
                0 => lead(self.mpi, pair, self.sizes)?,
                leader => receive(self.mpi, leader, self.sizes.len())?,
            };
            let Some(distance) = self.distances[at] else { continue };
            for (size, [value, low, high]) in times.into_iter().enumerate().filter(|(_, [value, ..])| value.is_finite())
            {
                let between = Between { distance, ranks: pair, bytes: self.sizes[size] as u64, value, low, high };
                let known = self.found.entry((at, size)).or_insert(between);
                if value < known.value {
                    *known = between;
                }
            }
        }
        Ok(true)
    }

    fn found(&self) -> Vec<Between> {
        self.found.values().copied().collect()
    }
}

/// Sleeps until the times of a pair arrive.
fn receive(mpi: &Mpi, leader: Rank, sizes: usize) -> Result<Vec<[f64; 3]>, BenchError> {
    while mpi.arrived(TIMES)?.is_none() {
        std::thread::sleep(NAP);
    }
    (0..sizes).map(|_| Ok(receive_words(mpi, leader, TIMES)?.map(f64::from_bits))).collect()
}

fn follow(session: &Session, pairs: &[[Rank; 2]], sizes: &[usize]) -> Result<(), BenchError> {
    let (mpi, rank) = (session.mpi, session.rank);
    loop {
        Order::sleep_until_sent(mpi)?;
        let Order { at, .. } = Order::receive(mpi, 0)?;
        if at == END {
            return Ok(());
        }
        let &[leader, partner] = pairs.get(at as usize).ok_or(BenchError::Protocol { rank: 0 })?;
        if rank == leader {
            for times in lead(mpi, [leader, partner], sizes)? {
                send_words(mpi, times.map(f64::to_bits), 0, TIMES)?;
            }
            continue;
        }
        let mut link = Link::new(mpi, rank, leader, most(sizes))?;
        loop {
            match link.controlled()? {
                Control::END => break,
                control => link.follow(&control)?,
            }
        }
    }
}

fn most(sizes: &[usize]) -> usize {
    sizes.iter().copied().max().unwrap_or(0)
}

/// For each size the median and its interval; not a number if it has none.
fn lead(mpi: &Mpi, [own, peer]: [Rank; 2], sizes: &[usize]) -> Result<Vec<[f64; 3]>, BenchError> {
    let begun = Instant::now();
    let mut link = Link::new(mpi, own, peer, most(sizes))?;
    let place = |&bytes: &usize| Place { series: String::new(), x: bytes as u64, moved: 0.0 };
    let seed = (own ^ peer) as u64;
    let mut schedule = Schedule::new(sizes.iter().map(place).collect(), seed, begun, Duration::MAX);
    while let Some(at) = schedule.next() {
        let rounds = schedule.rounds();
        if rounds >= ROUNDS || (rounds >= FEWEST_ROUNDS && begun.elapsed() >= TIME) {
            break;
        }
        let bytes = sizes[at];
        let count = match schedule.operations(at) {
            Some(count) => count,
            None => {
                link.verify(Kind::PingPong, bytes)?;
                schedule.calibrate(at, |count| link.lead(Kind::PingPong, bytes, count))?
            }
        };
        let (_, time_ns) = link.lead(Kind::PingPong, bytes, count)?;
        schedule.keep(at, time_ns);
    }
    link.control(&Control::END)?;
    let of_size = |at: usize| {
        let times = sorted(settled(schedule.times(at)));
        median_interval(&times).map_or([f64::NAN; 3], |(low, high)| [median(&times), low, high])
    };
    Ok((0..sizes.len()).map(of_size).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_is_in_two_pairs_before_any_is_in_more() {
        for size in 3..40 {
            let pairs = pairs_of(size);
            let of = |pairs: &[[Rank; 2]], rank| pairs.iter().filter(|pair| pair.contains(&rank)).count();
            assert!((0..size).all(|rank| of(&pairs[..size as usize], rank) == 2), "{size}");
            assert!(pairs.iter().all(|[a, b]| a < b) && pairs.len() <= 3 * size as usize);
            assert_eq!(pairs.iter().collect::<BTreeSet<_>>().len(), pairs.len());
        }
        assert_eq!(pairs_of(3), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(pairs_of(4), [[0, 1], [2, 3], [1, 2], [0, 3], [0, 2], [1, 3]]);
        assert_eq!(pairs_of(16).len(), 40);
    }

    #[test]
    fn facts_are_read_as_they_are_written() {
        let fact = |id: &str| match id {
            "between_3_12_65536_value" => Some(5.0),
            "between_3_12_65536_low" => Some(4.0),
            "between_3_12_65536_high" => Some(6.0),
            _ => None,
        };
        let of = |id: &str| Between::of_fact(Scope::Pair(1), id, fact);
        let expected = Between { distance: 1, ranks: [3, 12], bytes: 65536, value: 5.0, low: 4.0, high: 6.0 };
        assert_eq!(of("between_3_12_65536_value"), Some(expected));
        for other in ["between_3_12_65536_low", "between_3_value", "between_x_1_8_value", "local_send_limit"] {
            assert_eq!(of(other), None);
        }
    }
}
