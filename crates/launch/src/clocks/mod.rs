//! Offsets between the clocks of a run's hosts, measured between the `exec` processes of the hosts by messages over TCP while
//! the program runs. Schema of the files: `schemas/clocks.schema.json`.
//!
//! # Design constraints
//!
//! - None of this is in the program: no message that it could receive, no thread, no descriptor.
//! - A run on one host opens no sockets.
//! - The start of the program is not delayed; its end is delayed by at most [`END_LIMIT`].
//! - Failed measurements are recorded, too.
//!
//! # Protocol
//!
//! One host is the *reference*: the first whose leader ([`crate::host_leader`]) creates `RUN/clocks/reference.json`, with its
//! address and a random token that only the run's owner can read. Every other host's leader connects, sends the first half of
//! the token, and requires the second half as the answer. Then it asks for the time many times in a row, a *round*: at the
//! start, every few seconds, and at the end. Of a round, the exchange with the shortest round-trip time counts:
//!
//! ```text
//! local      t1 ─────────────────────────── t4     offset = ((t2 - t1) + (t3 - t4)) / 2
//!              ╲                           ╱       rtt    = (t4 - t1) - (t3 - t2)
//! reference     t2 ───────────────────── t3        |offset - true offset| <= rtt / 2
//! ```
//!
//! The bound holds however asymmetric the two directions are. All times are `CLOCK_MONOTONIC` in ns, the clock to which the
//! ticks of every rank file are converted.

mod client;
mod log;
mod server;
mod wire;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::rendezvous::Meeting;

pub(crate) use client::Client;
pub(crate) use log::{Log, When, make};
pub(crate) use server::Server;

/// Directory in the run.
pub const CLOCKS: &str = "clocks";
/// Version of the format.
pub const FORMAT: u32 = 1;
/// Maximum delay of a rank's end for the last round.
pub const END_LIMIT: Duration = Duration::from_millis(50);
pub(crate) const REFERENCE: &str = "reference.json";

/// `RUN/clocks/reference.json`: the reference and its address.
pub(crate) type Reference = Meeting;

/// The path of that file.
pub(crate) fn place(run: &Path) -> PathBuf {
    run.join(CLOCKS).join(REFERENCE)
}

/// The reference of a run, if any.
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
