//! The collector itself, driven through every function of the MPI interface with any arguments, in loops: what is read back
//! is what was called, event for event. Behind it is a stand-in for an MPI library.
//!
//! Each case is a process of its own, since the collector follows one process from its first call on. That is a fork of this
//! one, which has a single thread: so the test has no harness.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

#[path = "standin/calls.rs"]
mod calls;
#[path = "standin/library.rs"]
mod library;
#[path = "standin/play.rs"]
mod play;

/// The library, built as this test was: cargo makes one that programs only load for whoever asks for it.
fn collector() -> PathBuf {
    let exe = std::env::current_exe().expect("this program");
    let folder = exe.ancestors().nth(2).expect("target/PROFILE");
    let is_release = folder.ends_with("release");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--lib", "--package", env!("CARGO_PKG_NAME"), "--target-dir"]);
    cargo.arg(folder.parent().expect("target")).args(is_release.then_some("--release"));
    assert!(cargo.status().expect("cargo").success(), "the collector does not build");
    folder.join("libmpiscope.so")
}

/// Plays `bytes` and compares.
fn check(bytes: &[u8], collector: &Path, standin: &Path) -> Result<(), String> {
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

fn main() {
    let (folder, collector) = (tempfile::tempdir().expect("a folder"), collector());
    let standin = library::build(folder.path());
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(48);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 100, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&prop::collection::vec(any::<u8>(), 0..20_000), |bytes| {
        check(&bytes, &collector, &standin).map_err(TestCaseError::fail)
    });
    match outcome {
        Ok(()) => println!("what is read back is what was called: {cases} cases"),
        Err(TestError::Fail(why, bytes)) => {
            panic!("{why}\nafter {} bytes: {:?}", bytes.len(), &bytes[..bytes.len().min(64)])
        }
        Err(other) => panic!("{other}"),
    }
}
