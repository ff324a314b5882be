//! One case: a process of its own, since the collector follows a process from its first call on.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::play;

/// Plays `bytes` and compares.
pub fn check(bytes: &[u8], collector: &Path, standin: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("ranks")).expect("a folder");
    let (mut here, mut there) = UnixStream::pair().expect("a pair of sockets");
    // SAFETY: one thread.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        drop(here);
        // SAFETY: the child's only work.
        let called = unsafe { play::play(bytes, collector, standin, folder.path()) };
        let read = play::recorded(folder.path()).map_err(|e| e.to_string());
        let said = read.map_or_else(Some, |read| play::difference(&called, &read));
        let _ = there.write_all(said.as_deref().unwrap_or("the same").as_bytes());
        // SAFETY: nothing of the parent's is to be cleaned up here.
        unsafe { libc::_exit(0) };
    }
    drop(there);
    let mut said = String::new();
    let _ = here.read_to_string(&mut said);
    let mut status = 0;
    // SAFETY: the child from above.
    unsafe { libc::waitpid(child, &mut status, 0) };
    match said.as_str() {
        "the same" => Ok(()),
        "" => Err(format!("the process died of status {status:#x}")),
        other => Err(other.to_owned()),
    }
}
