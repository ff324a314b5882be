//! When each rank's sends begin and end in one exchange: the staircase of sends that wait for each other.
//!
//! Of several repetitions, that of median length is kept: the first ones are slow, and the fastest is not what a program sees. All ranks begin
//! at the same moment of one clock, as in [`crate::windows`].

use mpiscope_machine::{SendTimes, Staircase};
use mpiscope_mpi::{Mpi, Rank, Requests};
use serde::{Deserialize, Serialize};

use crate::error::BenchError;
use crate::halo::Work;
use crate::halo::exchange::Watch;
use crate::journal::Line;
use crate::schedule::Place;
use crate::session::Session;
use crate::windows::Start;

/// An odd number: the median is one of them.
const REPETITIONS: usize = 9;
/// With more ranks than this, the picture is unreadable and the profile large.
pub const MOST_RANKS: i32 = 256;

/// One send of this rank, ns after the begin of the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Sent {
    to: Rank,
    begin_ns: i64,
    end_ns: i64,
}

/// Keeps the times of a rank's sends.
struct Watched {
    begin_ns: i64,
    is_crowded: bool,
    sends: Vec<Sent>,
}

impl Watched {
    fn now_ns(&self) -> i64 {
        Start::now_ns() - self.begin_ns
    }
}

impl Watch for Watched {
    fn send(&mut self, to: Rank, send: impl FnOnce() -> Result<(), BenchError>) -> Result<(), BenchError> {
        let begin_ns = self.now_ns();
        send()?;
        self.sends.push(Sent { to, begin_ns, end_ns: self.now_ns() });
        Ok(())
    }

    fn begun(&mut self, to: Rank) {
        let now_ns = self.now_ns();
        self.sends.push(Sent { to, begin_ns: now_ns, end_ns: i64::MAX });
    }

    fn wait(&mut self, mpi: &Mpi, requests: &mut Requests, first: usize) -> Result<(), BenchError> {
        while self.sends.iter().any(|sent| sent.end_ns == i64::MAX) {
            for at in 0..self.sends.len() {
                if self.sends[at].end_ns == i64::MAX && mpi.test_at(requests, first + at)? {
                    self.sends[at].end_ns = self.now_ns();
                }
            }
            if self.is_crowded {
                std::thread::yield_now();
            }
        }
        Ok(mpi.waitall(requests)?)
    }
}

/// Records one exchange of the largest size for each series of `places` that `is_chosen`; collective. The exchanges have been measured before.
pub fn record(
    session: &mut Session,
    places: &[Place],
    work: &mut Work,
    is_chosen: impl Fn(&str) -> bool,
) -> Result<(), BenchError> {
    if session.size > MOST_RANKS {
        return Ok(());
    }
    let start = Start::new(session)?;
    let largest = places.iter().map(|place| place.x).max().unwrap_or(0);
    for (at, place) in places.iter().enumerate().filter(|(_, place)| place.x == largest && is_chosen(&place.series)) {
        let mut own: Vec<Vec<Sent>> = Vec::new();
        for _ in 0..REPETITIONS {
            let begin_ns = start.next(session)?;
            let mut watched = Watched { begin_ns, is_crowded: session.is_crowded, sends: Vec::new() };
            work.watched(at, &mut watched)?;
            own.push(watched.sends);
        }
        let Some(all) = session.gather(own)? else { continue };
        let sends = typical(&all).ok_or(BenchError::Protocol { rank: 0 })?;
        let staircase = Staircase {
            experiment: session.experiment.to_owned(),
            series: place.series.clone(),
            bytes: place.x,
            sends,
        };
        session.record(Line::Staircase { staircase });
    }
    session.flush()
}

/// The repetition of median length. `all`: of each rank its repetitions.
fn typical(all: &[Vec<Vec<Sent>>]) -> Option<Vec<SendTimes>> {
    let count = all.iter().map(Vec::len).min()?;
    let of = |repetition: usize| {
        let of_rank = |(rank, own): (usize, &Vec<Vec<Sent>>)| {
            let times = |sent: &Sent| SendTimes {
                rank: rank as Rank,
                to: sent.to,
                // A rank that reads its clock a moment before the common begin.
                begin_ns: sent.begin_ns.max(0) as u64,
                end_ns: sent.end_ns.max(0) as u64,
            };
            own[repetition].iter().map(times).collect::<Vec<_>>()
        };
        all.iter().enumerate().flat_map(of_rank).collect::<Vec<SendTimes>>()
    };
    let mut found: Vec<Vec<SendTimes>> = (0..count).map(of).collect();
    found.sort_by_key(|sends| sends.iter().map(|send| send.end_ns).max());
    (count > 0).then(|| found.swap_remove(count / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repetition_of_median_length_is_kept() {
        let sent = |to: Rank, begin_ns: i64, end_ns: i64| Sent { to, begin_ns, end_ns };
        let of = |long: i64| vec![sent(1, -3, 10), sent(2, 10, long)];
        let all = [vec![of(900), of(20), of(30)], vec![vec![sent(0, 0, 5)]; 3]];
        let found = typical(&all).unwrap();
        let found: Vec<(Rank, Rank, u64, u64)> =
            found.iter().map(|send| (send.rank, send.to, send.begin_ns, send.end_ns)).collect();
        assert_eq!(found, [(0, 1, 0, 10), (0, 2, 10, 30), (1, 0, 0, 5)]);
        assert!(typical(&[]).is_none() && typical(&[Vec::new()]).is_none());
    }
}
