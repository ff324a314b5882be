//! The collector itself, driven through every function of the MPI interface with any arguments, in loops: what is read back
//! is what was called, event for event. Behind it is a stand-in for an MPI library. The same with bytes of a fuzzer is
//! `fuzz/fuzz_targets/collector.rs`.
//!
//! Cases are forks of this process, which therefore has a single thread, and no harness.

use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

#[path = "standin/calls.rs"]
mod calls;
#[path = "standin/check.rs"]
mod check;
#[path = "standin/library.rs"]
mod library;
#[path = "standin/play.rs"]
mod play;

/// The library, built as this test was: cargo makes one that programs only load for whoever asks for it. `MPISCOPE_LIBRARY` is
/// another one.
fn collector() -> PathBuf {
    if let Some(other) = std::env::var_os("MPISCOPE_LIBRARY") {
        return other.into();
    }
    let exe = std::env::current_exe().expect("this program");
    let folder = exe.ancestors().nth(2).expect("target/PROFILE");
    let is_release = folder.ends_with("release");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--lib", "--package", env!("CARGO_PKG_NAME"), "--target-dir"]);
    cargo.arg(folder.parent().expect("target")).args(is_release.then_some("--release"));
    assert!(cargo.status().expect("cargo").success(), "the collector does not build");
    folder.join("libmpiscope.so")
}

fn main() {
    let (folder, collector) = (tempfile::tempdir().expect("a folder"), collector());
    let standin = library::build(folder.path());
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(48);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 100, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&prop::collection::vec(any::<u8>(), 0..20_000), |bytes| {
        check::check(&bytes, &collector, &standin).map_err(TestCaseError::fail)
    });
    match outcome {
        Ok(()) => println!("what is read back is what was called: {cases} cases"),
        Err(TestError::Fail(why, bytes)) => {
            panic!("{why}\nafter {} bytes: {:?}", bytes.len(), &bytes[..bytes.len().min(64)])
        }
        Err(other) => panic!("{other}"),
    }
}
