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

mod address;
mod client;
mod log;
mod server;
mod wire;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

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
const MAX_REFERENCE_BYTES: u64 = 64 << 10;

/// `RUN/clocks/reference.json`: who the reference is and where it listens. Readable by the owner alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reference {
    format: u32,
    pub(crate) host: String,
    port: u16,
    addresses: Vec<String>,
    /// 64 hexadecimal digits.
    token: String,
}

impl Reference {
    pub(crate) fn read(run: &Path) -> Option<Self> {
        let path = run.join(CLOCKS).join(REFERENCE);
        if fs::metadata(&path).ok()?.len() > MAX_REFERENCE_BYTES {
            return None;
        }
        let found: Self = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (found.format == FORMAT).then_some(found)
    }

    fn here(host: &str, port: u16) -> Self {
        let token = (0..4).map(|_| crate::host::random_id()).collect();
        Self { format: FORMAT, host: host.into(), port, addresses: address::own(), token }
    }

    /// Makes the file unless there is one; false when there is.
    fn publish(&self, run: &Path) -> io::Result<bool> {
        let part = self.write_part(run)?;
        let linked = fs::hard_link(&part, run.join(CLOCKS).join(REFERENCE));
        let _ = fs::remove_file(&part);
        match linked {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Takes the place of the file of an earlier leader of this host.
    fn replace(&self, run: &Path) -> io::Result<()> {
        fs::rename(self.write_part(run)?, run.join(CLOCKS).join(REFERENCE))
    }

    fn write_part(&self, run: &Path) -> io::Result<std::path::PathBuf> {
        let part = run.join(CLOCKS).join(format!(".{REFERENCE}.{}.{}", self.host, std::process::id()));
        let _ = fs::remove_file(&part);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
        file.write_all(serde_json::to_string(self)?.as_bytes())?;
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_becomes_the_reference() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(CLOCKS)).unwrap();
        assert_eq!(Reference::read(dir.path()), None);
        let (one, two) = (Reference::here("n1", 1), Reference::here("n2", 2));
        assert!(one.publish(dir.path()).unwrap());
        assert!(!two.publish(dir.path()).unwrap());
        assert_eq!(Reference::read(dir.path()), Some(one));
        let again = Reference::here("n1", 3);
        again.replace(dir.path()).unwrap();
        assert_eq!(Reference::read(dir.path()), Some(again));
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(dir.path().join("clocks/reference.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
        assert_eq!(fs::read_dir(dir.path().join(CLOCKS)).unwrap().count(), 1);
    }
}
