//! Calls of any function of the MPI interface with any arguments, through the collector itself, with a stand-in for an MPI
//! behind it: what is read back is what was called. The collector is the library that `cargo build --release -p
//! mpiscope-collector` has made, or `MPISCOPE_LIBRARY`.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/collector/tests/standin/calls.rs"]
mod calls;
#[path = "../../crates/collector/tests/standin/check.rs"]
mod check;
#[path = "../../crates/collector/tests/standin/library.rs"]
mod library;
#[path = "../../crates/collector/tests/standin/play.rs"]
mod play;

/// Another process makes the calls, and the fuzzer does not see its coverage. These counters show the fuzzer which calls an
/// input makes: the function, how it ends, and how many requests it names.
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static CALLS: [AtomicU8; 1 << 14] = [const { AtomicU8::new(0) }; 1 << 14];

/// Planning looks at no memory.
struct Nowhere;

impl calls::Memory for Nowhere {
    fn of(&self, argument: usize) -> u64 {
        0x1000 * (argument as u64 + 1)
    }
}

fn note_calls(bytes: &[u8], functions: &[u32]) {
    let mut bytes = calls::Bytes(bytes);
    while !bytes.0.is_empty() {
        let calls::Expected { function, code, polls, requests, .. } =
            calls::plan(&mut bytes, functions, &Nowhere).expected;
        let size = requests.min(3) << 2 | usize::from(polls > 0) << 1 | usize::from(code != 0);
        CALLS[(function as usize * 16 + size) % CALLS.len()].fetch_add(1, Ordering::Relaxed);
    }
}

static FUNCTIONS: OnceLock<Vec<u32>> = OnceLock::new();
static STANDIN: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    note_calls(bytes, FUNCTIONS.get_or_init(calls::functions));
    let (_, standin) = STANDIN.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let library = library::build(folder.path());
        (folder, library)
    });
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/release/libmpiscope.so");
    let collector = std::env::var_os("MPISCOPE_LIBRARY").map_or_else(|| beside.into(), PathBuf::from);
    if let Err(why) = check::check(bytes, &collector, standin) {
        panic!("{why}");
    }
});
