//! One clock for the ranks of all hosts: `CLOCK_MONOTONIC` of rank 0.
//!
//! It is the same for all processes of a host. The first rank of each other host compares it with that of rank 0 by messages there and back:
//! when the fastest of them was half way, rank 0 read its clock. From time to time this is repeated, so that the rate of the clocks is
//! known, too; clocks of a cluster differ by up to 50 µs in a second.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use mpiscope_launch::clock::monotonic_ns;
use mpiscope_machine::RankPlace;
use mpiscope_mpi::{Rank, Tag};

use crate::error::BenchError;
use crate::rounds::{receive_words, send_words};
use crate::session::Session;

const COMPARE: Tag = 7204;
/// Messages there and back of one comparison; the fastest of so many met no queue.
const EXCHANGES: usize = 30;
/// Time between comparisons.
const PERIOD: Duration = Duration::from_secs(1);
/// Comparisons from which the rate follows: those of the last seconds, as the rate changes with temperature and by NTP.
const KEPT: usize = 8;

/// One comparison: what to add to the own clock at a moment of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Comparison {
    at_ns: i64,
    add_ns: i64,
    /// Half of the fastest message there and back: how wrong it may be.
    error_ns: i64,
}

impl Comparison {
    /// Of exchanges: the own clock when a message went, that of rank 0 when it arrived there, and the own clock when the answer arrived.
    fn of(exchanges: &[[i64; 3]]) -> Option<Comparison> {
        let [sent, there, back] = *exchanges.iter().min_by_key(|[sent, _, back]| back - sent)?;
        let error_ns = (back - sent) / 2;
        Some(Comparison { at_ns: sent + error_ns, add_ns: there - sent - error_ns, error_ns })
    }
}

/// What to add to the own clock: a line through the last comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Line {
    at_ns: i64,
    add_ns: i64,
    /// Change of it, ns in a second.
    rate: i64,
}

impl Line {
    fn through(comparisons: &VecDeque<Comparison>) -> Line {
        let (Some(first), Some(last)) = (comparisons.front(), comparisons.back()) else { return Line::default() };
        let (between, change) = (last.at_ns - first.at_ns, last.add_ns - first.add_ns);
        // Over shorter times, the errors of both comparisons would be most of the rate.
        let is_long = between >= PERIOD.as_nanos() as i64 / 2;
        let rate = if is_long { (change as f64 * 1e9 / between as f64) as i64 } else { 0 };
        Line { at_ns: last.at_ns, add_ns: last.add_ns, rate }
    }

    fn add_at(self, own_ns: i64) -> i64 {
        self.add_ns + ((own_ns - self.at_ns) as f64 * self.rate as f64 / 1e9) as i64
    }
}

/// The clock of rank 0, on this rank.
pub struct Clock {
    /// The first rank of each host but that of rank 0, in order.
    leaders: Vec<Rank>,
    /// The first rank of this host, and its other ranks.
    leader: Rank,
    others: Vec<Rank>,
    kept: VecDeque<Comparison>,
    line: Line,
    /// When it was compared, by the own clock.
    compared_ns: i64,
    /// The largest error of a comparison with this host.
    error_ns: i64,
}

impl Clock {
    /// Compares for the first time; collective.
    pub fn new(session: &Session) -> Result<Clock, BenchError> {
        let mut clock = Clock::of(&session.places, session.rank);
        clock.compare(session)?;
        Ok(clock)
    }

    fn of(places: &[RankPlace], rank: Rank) -> Clock {
        let mut hosts: BTreeMap<&str, Vec<Rank>> = BTreeMap::new();
        for place in places {
            hosts.entry(&place.host).or_default().push(place.rank);
        }
        let own = hosts.values().find(|ranks| ranks.contains(&rank)).cloned().unwrap_or_else(|| vec![rank]);
        let mut leaders: Vec<Rank> = hosts.values().map(|ranks| ranks[0]).filter(|&leader| leader != 0).collect();
        leaders.sort_unstable();
        Clock {
            leaders,
            leader: own[0],
            others: own[1..].to_vec(),
            kept: VecDeque::new(),
            line: Line::default(),
            compared_ns: 0,
            error_ns: 0,
        }
    }

    /// Whether rank 0 has to announce another comparison.
    pub fn is_due(&self) -> bool {
        !self.leaders.is_empty() && own_ns() - self.compared_ns >= PERIOD.as_nanos() as i64
    }

    /// Compares the clocks; all ranks call it at the same time.
    pub fn compare(&mut self, session: &Session) -> Result<(), BenchError> {
        self.compared_ns = own_ns();
        if session.rank == 0 {
            for &leader in &self.leaders {
                for _ in 0..EXCHANGES {
                    let [_] = receive_words(session.mpi, leader, COMPARE)?;
                    send_words(session.mpi, [own_ns() as u64], leader, COMPARE)?;
                }
                let [error_ns] = receive_words(session.mpi, leader, COMPARE)?;
                self.error_ns = self.error_ns.max(error_ns as i64);
            }
        } else if self.leader == session.rank {
            let mut exchanges = Vec::new();
            for _ in 0..EXCHANGES {
                let sent = own_ns();
                send_words(session.mpi, [0], 0, COMPARE)?;
                let [there] = receive_words(session.mpi, 0, COMPARE)?;
                exchanges.push([sent, there as i64, own_ns()]);
            }
            self.kept.extend(Comparison::of(&exchanges));
            if self.kept.len() > KEPT {
                self.kept.pop_front();
            }
            self.line = Line::through(&self.kept);
            let error_ns = self.kept.back().map_or(0, |last| last.error_ns);
            send_words(session.mpi, [error_ns as u64], 0, COMPARE)?;
            let words = [self.line.at_ns as u64, self.line.add_ns as u64, self.line.rate as u64];
            self.others.iter().try_for_each(|&rank| send_words(session.mpi, words, rank, COMPARE))?;
        } else if self.leader != 0 {
            let [at, add, rate] = receive_words(session.mpi, self.leader, COMPARE)?;
            self.line = Line { at_ns: at as i64, add_ns: add as i64, rate: rate as i64 };
        }
        Ok(())
    }

    /// The largest error of a comparison so far, on rank 0; `None` if all ranks have the same clock.
    pub fn error_ns(&self) -> Option<i64> {
        (!self.leaders.is_empty()).then_some(self.error_ns)
    }

    /// The own clock at a moment of rank 0's.
    pub fn own_of(&self, ns: i64) -> i64 {
        // The rates differ by less than 1e-4, so that one step is enough.
        ns - self.line.add_at(ns - self.line.add_ns)
    }
}

/// The clock of this host, ns.
pub fn own_ns() -> i64 {
    monotonic_ns() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_exchange_counts() {
        // Rank 0's clock is 1,000,000 ahead; a message takes 50, the slow one waits on its way back.
        let slow = [100, 1_000_150, 900];
        let fast = [2000, 1_002_050, 2100];
        let found = Comparison::of(&[slow, fast, slow]).unwrap();
        assert_eq!(found, Comparison { at_ns: 2050, add_ns: 1_000_000, error_ns: 50 });
        assert_eq!(Comparison::of(&[]), None);
    }

    #[test]
    fn clocks_of_different_rates_agree() {
        let s = 1_000_000_000;
        let at = |second: i64| Comparison { at_ns: second * s, add_ns: 7 * s + second * 30_000, error_ns: 100 };
        let line = Line::through(&[at(1), at(2), at(3)].into());
        assert_eq!(line, Line { at_ns: 3 * s, add_ns: 7 * s + 90_000, rate: 30_000 });
        let mut clock = Clock::of(&[], 0);
        clock.line = line;
        for own in [3 * s, 4 * s, 5 * s + 123] {
            let there = own + line.add_at(own);
            assert!((clock.own_of(there) - own).abs() <= 2, "{own}");
        }
        // A single comparison has no rate, nor have two at once.
        let twice = [at(1), Comparison { at_ns: s + 1000, ..at(1) }];
        assert_eq!((Line::through(&[at(1)].into()).rate, Line::through(&twice.into()).rate), (0, 0));
    }

    #[test]
    fn the_first_rank_of_each_host_compares() {
        let places: Vec<RankPlace> = ["a", "b", "a", "b", "c"]
            .iter()
            .enumerate()
            .map(|(rank, host)| RankPlace { rank: rank as i32, host: (*host).to_owned(), cpus: String::new() })
            .collect();
        let of = |rank| {
            let clock = Clock::of(&places, rank);
            (clock.leaders, clock.leader, clock.others)
        };
        assert_eq!(of(0), (vec![1, 4], 0, vec![2]));
        assert_eq!(of(3), (vec![1, 4], 1, vec![3]));
        assert_eq!(of(4), (vec![1, 4], 4, vec![]));
        assert_eq!(Clock::of(&places[..1], 0).error_ns(), None);
    }
}
