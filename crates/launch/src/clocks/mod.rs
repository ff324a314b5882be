//! How far the clocks of a run's hosts are from each other: measured between the `exec` of the hosts, beside the
//! program, by messages over TCP. Schema of the files: `schemas/clocks.schema.json`.
//!
//! # Design constraints
//!
//! - Nothing of this is in the program: no message it could receive, no thread, no descriptor.
//! - A run on one host opens nothing.
//! - Starting takes no time from the program; ending takes at most [`END_LIMIT`].
//! - What could not be measured is written down like what was.
//!
//! # Who does what
//!
//! One host is the *reference*: the first whose leader ([`crate::beside`]) makes `RUN/clocks/reference.json`, which
//! says where it listens, and holds a random token that only the run's owner can read. Every other host's leader
//! connects, shows the first half of the token, and believes nobody who does not answer with the second. Then it
//! asks for the time, many times in a row at the start, every some seconds, and at the end: a *round*. Of a round the
//! exchange with the shortest way counts:
//!
//! ```text
//! local      t1 ─────────────────────────── t4     offset = ((t2 - t1) + (t3 - t4)) / 2
//!              ╲                           ╱       rtt    = (t4 - t1) - (t3 - t2)
//! reference     t2 ───────────────────── t3        |offset - true offset| <= rtt / 2
//! ```
//!
//! The bound holds however uneven the two ways are. All times are `CLOCK_MONOTONIC` in ns, the clock to which
//! the ticks of every rank file are converted.

mod client;
mod log;
mod server;
mod wire;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::meeting::Meeting;

pub(crate) use client::Client;
pub(crate) use log::{Log, When, make};
pub(crate) use server::Server;

/// Folder of the run.
pub const CLOCKS: &str = "clocks";
/// Version of what is in it.
pub const FORMAT: u32 = 1;
/// Longest time that the end of a rank waits for last rounds.
pub const END_LIMIT: Duration = Duration::from_millis(50);
pub(crate) const REFERENCE: &str = "reference.json";

/// `RUN/clocks/reference.json`: who the reference is and where it listens.
pub(crate) type Reference = Meeting;

/// Where it stands.
pub(crate) fn place(run: &Path) -> PathBuf {
    run.join(CLOCKS).join(REFERENCE)
}

/// The reference of a run, if there is one.
pub(crate) fn reference(run: &Path) -> Option<Reference> {
    Meeting::read(&place(run))
}

#[cfg(test)]
pub(crate) mod testing {
    /// Tries a scenario that has to meet limits of time. A busy machine may keep it from that a few times, a mistake does
    /// each time.
    pub(crate) fn in_time(scenario: impl Fn() + std::panic::RefUnwindSafe) {
        let is_right = (0..19).any(|_| std::panic::catch_unwind(&scenario).is_ok());
        if !is_right {
            scenario();
        }
    }
}
