//! Buffers lines for a file: few writes, since the run may be on a file system that many hosts share.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::time::{Duration, Instant};

use mpiscope_records::cores::FOLDER;

use super::SamplerConfig;
use crate::node::LEAVE_BYTES;
use crate::spool;

/// Lines stay in memory for a second, or for a sixty-fourth of the time since the start: the loss if the whole host crashes.
const SOON: Duration = Duration::from_secs(1);
const PART: u32 = 64;

/// A file that grows by complete lines. Lines that cannot be written are dropped.
pub(super) struct Log {
    file: File,
    lines: String,
    begun: Instant,
    written: Instant,
}

impl Log {
    pub(super) fn open(plan: &SamplerConfig, name: &str) -> io::Result<Self> {
        if spool::room(&plan.run)?.free_bytes < LEAVE_BYTES {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let folder = plan.run.join(FOLDER);
        DirBuilder::new().recursive(true).mode(0o777).create(&folder)?;
        let file = OpenOptions::new().append(true).create(true).open(folder.join(name))?;
        let now = Instant::now();
        Ok(Self { file, lines: String::new(), begun: now, written: now })
    }

    pub(super) fn line(&mut self, text: &str) {
        self.lines.push_str(text);
        self.lines.push('\n');
        let wait = SOON.max(self.begun.elapsed() / PART);
        if self.written.elapsed() >= wait {
            self.flush();
        }
    }

    pub(super) fn flush(&mut self) {
        let _ = self.file.write_all(self.lines.as_bytes());
        self.lines.clear();
        self.written = Instant::now();
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.flush();
    }
}
