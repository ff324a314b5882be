//! Files in a run's folder that only their owner may read.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

const OTHERS: u32 = 0o077;

pub(crate) fn own_id() -> u32 {
    // SAFETY: it reads a number of the process and cannot fail.
    unsafe { libc::geteuid() }
}

pub(crate) fn is_private(about: &Metadata) -> bool {
    about.uid() == own_id() && about.mode() & OTHERS == 0
}

/// Opens a file for reading. It does not follow a link, and a pipe in its place does not block.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

/// A new file that replaces an existing one: it appears complete, and a link in its place is not followed.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension(format!("{}.part", std::process::id()));
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
    let written = fill(made, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    // Some file systems have no modes: all users can read all files there.
    if !is_private(&file.metadata()?) {
        return Err(io::Error::other("this file system does not support private files"));
    }
    file.write_all(bytes)?;
    // Synchronised before it replaces the old file: the new one must not be empty after a crash of the machine.
    file.sync_all()
}
