//! Up to which size a send completes locally, although the receiver is not in MPI. MPICH: where eager ends. Open MPI 4.1
//! in shared memory: 256 bytes, as sends of larger eager messages are complete when the receiver has returned their buffer.
//!
//! The knee of the times shows it only roughly, and not at all where both sides of it cost the same. So it is tried: the partner
//! sends a signal and then sleeps outside of MPI; the leader starts a send and tests whether it becomes complete. The size is
//! found by bisection, to the byte.

use std::time::{Duration, Instant};

use crate::error::BenchError;
use crate::pingpong::link::{Control, Link};

/// How long the partner sleeps.
const SLEEP: Duration = Duration::from_millis(20);
/// How long the leader tests.
const TESTS: Duration = Duration::from_millis(3);
/// Tests after which a send counts as incomplete: a rank that lost its core may have had time for none.
const FEWEST_TESTS: u32 = 50;
/// If the leader was interrupted for so long that the partner may have been awake, the size is tried again.
const ATTEMPTS: u32 = 5;

/// The largest size for which a send is complete without the receiver.
pub struct Limit {
    pub bytes: usize,
    /// Even the largest size is: the limit may be higher.
    pub is_open: bool,
}

pub fn limit(link: &mut Link, most: usize) -> Result<Limit, BenchError> {
    if is_local(link, most)? {
        return Ok(Limit { bytes: most, is_open: true });
    }
    // The smallest size that is not complete is above `low`, and at most `high`.
    let (mut low, mut high) = (0, most);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if is_local(link, middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(Limit { bytes: low, is_open: false })
}

fn is_local(link: &mut Link, bytes: usize) -> Result<bool, BenchError> {
    let mut local = false;
    for _ in 0..ATTEMPTS {
        link.control(&Control { kind: 0, bytes: bytes as u64, operations: 0, verify: 0 })?;
        link.await_signal()?;
        let begun = Instant::now();
        link.isend(bytes)?;
        let mut tests = 0;
        local = loop {
            if link.test()? {
                break true;
            }
            tests += 1;
            if begun.elapsed() > TESTS && tests >= FEWEST_TESTS {
                break false;
            }
        };
        let elapsed = begun.elapsed();
        if !local {
            link.waitall()?;
        }
        if elapsed < SLEEP / 2 {
            break;
        }
    }
    Ok(local)
}

/// The partner's side.
pub fn follow(link: &mut Link, control: &Control) -> Result<(), BenchError> {
    link.signal()?;
    std::thread::sleep(SLEEP);
    link.recv(control.bytes as usize)
}
