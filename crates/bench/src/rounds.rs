//! Experiments in which all ranks take part at once, or one for each processor.
//!
//! Rank 0 decides which place is next and by how many operations, and sends this to the others. A batch begins after a barrier. Each rank times its
//! own part; rank 0 collects the times and records the slowest, the fastest and the median one. A rank that has nothing to do at a place
//! sleeps until the next one.

use std::time::{Duration, Instant};

use mpiscope_machine::Scope;
use mpiscope_mpi::{Mpi, Rank, Tag};
use mpiscope_statistics::{median, sorted};

use crate::crew::Crew;
use crate::error::BenchError;
use crate::schedule::{Batch, Place};
use crate::session::Session;

const CONTROL: Tag = 7201;
const TIME: Tag = 7202;
/// Interval at which a rank that has nothing to do looks for what is next.
const NAP: Duration = Duration::from_micros(200);
/// The place after the last one.
pub const END: u64 = u64::MAX;
/// The number of operations that means: verify.
pub const VERIFY: u64 = 0;

/// What the ranks that take part do at a place; `at` is an index in the places.
pub trait Together {
    /// Makes one operation, in which every byte is compared with what was sent. Called once for each place, before it is measured.
    fn verify(&mut self, at: usize) -> Result<(), BenchError>;

    /// Makes so many operations; how long they took on this rank, or `None` if it has nothing to do at this place.
    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError>;
}

/// Measures all places on all ranks. Every rank calls it with the same places.
pub fn together(session: &mut Session, places: Vec<Place>, work: &mut dyn Together) -> Result<(), BenchError> {
    let crew = Crew::all(session);
    together_as(&crew, session, places, work)
}

/// Measures all places on the ranks that take part, which call it with the same places.
pub fn together_as(
    crew: &Crew,
    session: &mut Session,
    places: Vec<Place>,
    work: &mut dyn Together,
) -> Result<(), BenchError> {
    if session.rank != 0 {
        return follow(session, crew, places.len(), work);
    }
    let mut schedule = session.schedule(places, session.plan.seed, Instant::now(), session.budget);
    while let Some(at) = schedule.next() {
        let count = match schedule.operations(at) {
            Some(count) => count,
            None => {
                announce(session, crew, at as u64, VERIFY)?;
                work.verify(at)?;
                schedule.calibrate(at, |count| {
                    measure(session, crew, work, at, count).map(|batch| (count, batch.time_ns))
                })?
            }
        };
        let batch = measure(session, crew, work, at, count)?;
        schedule.sample(session, Scope::All, at, &batch)?;
    }
    announce(session, crew, END, 1)?;
    session.flush()
}

/// Rank 0's part of a batch.
fn measure(
    session: &Session,
    crew: &Crew,
    work: &mut dyn Together,
    at: usize,
    operations: u64,
) -> Result<Batch, BenchError> {
    announce(session, crew, at as u64, operations)?;
    crew.barrier()?;
    let mut times: Vec<f64> = work.batch(at, operations)?.into_iter().map(|time| time.as_nanos() as f64).collect();
    for rank in crew.others() {
        let mut time = [0; 8];
        session.mpi.recv(&mut time, rank, TIME)?;
        // Not a number: it had nothing to do.
        times.extend(Some(f64::from_ne_bytes(time)).filter(|time| !time.is_nan()));
    }
    Ok(of_ranks(&times, operations))
}

/// The times of all ranks as one batch.
pub fn of_ranks(times: &[f64], operations: u64) -> Batch {
    let times: Vec<f64> = sorted(times).iter().map(|time| time / operations.max(1) as f64).collect();
    let (min, max) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
    // A time of 0 has no logarithm and no rate.
    let some = |time: f64| time.max(1e-3);
    Batch { operations, time_ns: some(max), ranks_ns: Some((some(min), some(median(&times)))) }
}

fn announce(session: &Session, crew: &Crew, at: u64, operations: u64) -> Result<(), BenchError> {
    let order = Order { at, operations };
    crew.others().try_for_each(|rank| order.send(session.mpi, rank))
}

/// What a rank has to do next: a place, and the number of operations.
#[derive(Clone, Copy)]
pub struct Order {
    pub at: u64,
    pub operations: u64,
}

impl Order {
    pub fn send(self, mpi: &Mpi, to: Rank) -> Result<(), BenchError> {
        send_words(mpi, [self.at, self.operations], to, CONTROL)
    }

    /// Sleeps until there is one to receive.
    pub fn sleep_until_sent(mpi: &Mpi) -> Result<(), BenchError> {
        while mpi.arrived(CONTROL)?.is_none() {
            std::thread::sleep(NAP);
        }
        Ok(())
    }

    pub fn receive(mpi: &Mpi, from: Rank) -> Result<Order, BenchError> {
        let [at, operations] = receive_words(mpi, from, CONTROL)?;
        Ok(Order { at, operations })
    }
}

/// Sends words; those of a rank of another host have the same order of bytes, as all ranks are the same executable.
pub fn send_words<const N: usize>(mpi: &Mpi, words: [u64; N], to: Rank, tag: Tag) -> Result<(), BenchError> {
    Ok(mpi.send(words.map(u64::to_ne_bytes).as_flattened(), to, tag)?)
}

pub fn receive_words<const N: usize>(mpi: &Mpi, from: Rank, tag: Tag) -> Result<[u64; N], BenchError> {
    let mut words = [[0; 8]; N];
    mpi.recv(words.as_flattened_mut(), from, tag)?;
    Ok(words.map(u64::from_ne_bytes))
}

fn follow(session: &mut Session, crew: &Crew, places: usize, work: &mut dyn Together) -> Result<(), BenchError> {
    let mut is_idle = false;
    loop {
        if is_idle {
            Order::sleep_until_sent(session.mpi)?;
        }
        let Order { at, operations } = Order::receive(session.mpi, 0)?;
        match (at, operations) {
            (END, _) => return Ok(()),
            _ if at >= places as u64 => return Err(BenchError::Protocol { rank: 0 }),
            (_, VERIFY) => work.verify(at as usize)?,
            _ => {
                crew.barrier()?;
                let time = work.batch(at as usize, operations)?;
                is_idle = time.is_none();
                let ns = time.map_or(f64::NAN, |time| time.as_nanos() as f64);
                session.mpi.send(&ns.to_ne_bytes(), 0, TIME)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_rank_is_the_time() {
        let batch = of_ranks(&[300.0, 100.0, 900.0], 10);
        assert_eq!((batch.time_ns, batch.ranks_ns), (90.0, Some((10.0, 30.0))));
        assert_eq!(of_ranks(&[0.0], 1).time_ns, 1e-3);
    }
}
