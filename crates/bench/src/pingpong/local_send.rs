//! Up to which size a send completes locally, although the receiver is not in MPI. MPICH: where eager ends. Open MPI 4.1
//! in shared memory: 256 bytes, as sends of larger eager messages are complete when the receiver has returned their buffer.
//!
//! The knee of the times shows it only roughly, and not at all where both sides of it cost the same. So it is tried: the partner
//! sends a signal and then sleeps outside of MPI; the leader starts a send and tests whether it becomes complete. The size is
//! found by bisection, to the byte.

use std::time::{Duration, Instant};

use crate::error::BenchError;
use crate::pingpong::link::{Control, Link};

/// How long the partner sleeps; twice as long in each further attempt.
const SLEEP: Duration = Duration::from_millis(20);
/// How long the leader tests.
const TESTS: Duration = Duration::from_millis(3);
/// Tests after which a send counts as incomplete: a rank that lost its core may have had time for none.
const FEWEST_TESTS: u32 = 50;
/// On a busy machine the leader may lose its core until the partner is awake: then the size is tried again.
const ATTEMPTS: u32 = 6;

/// The largest size for which a send is complete without the receiver.
pub struct Limit {
    pub bytes: usize,
    /// Even the largest size is: the limit may be higher.
    pub is_open: bool,
}

/// `None` if the machine is too busy to find out.
pub fn limit(link: &mut Link, most: usize) -> Result<Option<Limit>, BenchError> {
    match is_local(link, most)? {
        None => return Ok(None),
        Some(true) => return Ok(Some(Limit { bytes: most, is_open: true })),
        Some(false) => {}
    }
    // The smallest size that is not complete is above `low`, and at most `high`.
    let (mut low, mut high) = (0, most);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match is_local(link, middle)? {
            None => return Ok(None),
            Some(true) => low = middle,
            Some(false) => high = middle,
        }
    }
    Ok(Some(Limit { bytes: low, is_open: false }))
}

fn is_local(link: &mut Link, bytes: usize) -> Result<Option<bool>, BenchError> {
    for attempt in 0..ATTEMPTS {
        let sleep = SLEEP * (1 << attempt);
        // The partner falls asleep after this moment, so it is not awake before `begun + sleep`.
        let begun = Instant::now();
        link.control(&Control { kind: 0, bytes: bytes as u64, operations: 0, verify: sleep.as_millis() as u64 })?;
        link.await_signal()?;
        let sent = Instant::now();
        link.isend(bytes)?;
        let mut tests = 0;
        let is_complete = loop {
            if link.test()? {
                break true;
            }
            tests += 1;
            if sent.elapsed() > TESTS && tests >= FEWEST_TESTS {
                break false;
            }
        };
        let elapsed = begun.elapsed();
        if !is_complete {
            // Whether the partner was awake or not.
            link.waitall()?;
            return Ok(Some(false));
        }
        if elapsed < sleep {
            return Ok(Some(true));
        }
    }
    Ok(None)
}

/// The partner's side.
pub fn follow(link: &mut Link, control: &Control) -> Result<(), BenchError> {
    link.signal()?;
    std::thread::sleep(Duration::from_millis(control.verify));
    link.recv(control.bytes as usize)
}
