//! What unexpected messages cost besides time: memory of the receiver, and at some number of them the sender waits.

use std::time::{Duration, Instant};

use mpiscope_mpi::Tag;

use crate::error::BenchError;
use crate::queue::ends::{Ends, LARGE, MOST, SMALL};
use crate::start::Footprint;

/// How many messages the sender could send.
const SENT: Tag = 7403;
/// Sizes, in this order: buffers that an MPI keeps after smaller messages are too small for larger ones.
pub const SIZES: [usize; 4] = [SMALL, 64, 512, LARGE];
/// Numbers of messages at which the memory is read.
pub const NUMBERS: [usize; 2] = [256, MOST];
/// How long the receiver sleeps outside of MPI; twice as long in each further attempt.
const SLEEP: Duration = Duration::from_millis(30);
const ATTEMPTS: u32 = 4;
/// How long a send is tested until it counts as one that waits, and how often at least.
const PATIENCE: Duration = Duration::from_millis(3);
const FEWEST_TESTS: u32 = 50;

/// The names of the facts.
pub fn grown_id(bytes: usize, number: usize) -> String {
    format!("grown_{bytes}_{number}")
}

pub fn sent_id(bytes: usize) -> String {
    format!("sent_{bytes}")
}

/// Both ends call it. What counts is what the leader returns, which receives: growth of its memory, bytes, and messages that were sent.
pub fn facts(ends: &mut Ends, most: usize) -> Result<Vec<(String, f64)>, BenchError> {
    let mut found = Vec::new();
    for bytes in SIZES.into_iter().filter(|&bytes| bytes <= most) {
        // What was freed does not count as used.
        // SAFETY: it only gives unused memory back to the system.
        unsafe { libc::malloc_trim(0) };
        let before = Footprint::now();
        let (mut after, mut sent) = (Vec::new(), 0);
        ends.fill();
        for number in NUMBERS {
            if !ends.end.is_leader {
                ends.send_fillers(sent..number, bytes)?;
            }
            // When it is over, all that was sent before has arrived.
            ends.trip()?;
            after.push((number, Footprint::now()));
            sent = number;
        }
        if ends.end.is_leader {
            ends.empty(MOST, bytes)?;
        } else {
            ends.mpi.waitall(&mut ends.requests)?;
        }
        for (number, after) in after {
            if let (Some(before), Some(after)) = (before, after) {
                found.push((grown_id(bytes, number), after.resident as f64 - before.resident as f64));
            }
        }
    }
    for bytes in SIZES.into_iter().filter(|&bytes| bytes <= most) {
        found.extend(sent(ends, bytes)?.map(|sent| (sent_id(bytes), sent as f64)));
    }
    Ok(found)
}

/// How many messages the partner can send while the leader is not in MPI, at most [`MOST`]; `None` if the machine is too busy to find out.
fn sent(ends: &mut Ends, bytes: usize) -> Result<Option<usize>, BenchError> {
    let peer = ends.end.peer;
    for attempt in 0..ATTEMPTS {
        let sleep = SLEEP * (1 << attempt);
        ends.fill();
        // The leader falls asleep after this moment, so it is not awake before `begun + sleep`.
        let begun = Instant::now();
        ends.trip()?;
        let mut words = [[0; 8]; 3];
        if ends.end.is_leader {
            std::thread::sleep(sleep);
            ends.mpi.recv(words.as_flattened_mut(), peer, SENT)?;
            let started = u64::from_ne_bytes(words[0]).min(MOST as u64);
            ends.empty(started as usize, bytes)?;
        } else {
            let (started, complete) = send_until_one_waits(ends, bytes)?;
            let was_asleep = begun.elapsed() < sleep;
            words = [started as u64, complete as u64, was_asleep.into()].map(u64::to_ne_bytes);
            ends.mpi.send(words.as_flattened(), peer, SENT)?;
            ends.mpi.waitall(&mut ends.requests)?;
        }
        let [_, complete, was_asleep] = words.map(u64::from_ne_bytes);
        if was_asleep == 1 {
            return Ok(Some(complete as usize));
        }
    }
    Ok(None)
}

/// Messages that were started and that are complete: one less if the last one waits, which remains in the requests.
fn send_until_one_waits(ends: &mut Ends, bytes: usize) -> Result<(usize, usize), BenchError> {
    for at in 0..MOST {
        ends.send_fillers(at..at + 1, bytes)?;
        let (begun, mut tests) = (Instant::now(), 0);
        while !ends.mpi.test(&mut ends.requests)? {
            tests += 1;
            if tests >= FEWEST_TESTS && begun.elapsed() > PATIENCE {
                return Ok((at + 1, at));
            }
        }
    }
    Ok((MOST, MOST))
}
