//! Calls of any function of the MPI interface with any arguments, through the collector itself, with a stand-in for an MPI
//! behind it: what is read back is what was called. The collector is the library that `cargo build --release -p
//! mpiscope-collector` has made, or `MPISCOPE_LIBRARY`.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/collector/tests/standin/calls.rs"]
mod calls;
#[path = "../../crates/collector/tests/standin/check.rs"]
mod check;
#[path = "../../crates/collector/tests/standin/library.rs"]
mod library;
#[path = "../../crates/collector/tests/standin/play.rs"]
mod play;

static STANDIN: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
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
