//! Stores of every format ever written stay readable: `crates/store/tests/frozen` has one of each, all of the same run.
//!
//! A new format adds a folder there; those of earlier formats are never written again:
//!
//! ```text
//! tar xf tests/planted/recorded/solvers.cg.openmpi.tar.xz -C /tmp
//! mpiscope store /tmp/run.mpiscope && cp -r /tmp/run.mpiscope/store crates/store/tests/frozen/format-N
//! ```

use std::path::{Path, PathBuf};

use super::tests::read;
use super::window::WindowReader;
use crate::{FORMAT, Store, Wanted};

fn frozen(format: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/frozen/format-{format}"))
}

/// Everything that a store answers, as text.
fn content(store: &Store) -> String {
    let mut batches = store.batches(Wanted::default()).unwrap();
    let mut waits = Vec::new();
    while batches.next_batch().unwrap().is_some() {
        waits.extend(batches.waits().unwrap());
    }
    let whole = Wanted { time_ns: Some(0..u64::MAX), ranks: None };
    let window = WindowReader::open(store, 1 << 20).unwrap();
    let never = || false;
    let calls = window.calls(&whole, usize::MAX, |_, _| true, &never).unwrap();
    let messages = window.messages(&whole, usize::MAX, |_| true, &never).unwrap();
    let shown = window.waits(&whole, usize::MAX, |_| true, &never).unwrap();
    format!(
        "{:#?}\n{:#?}\n{:#?}\n{waits:#?}\n{calls:#?}\n{messages:#?}\n{shown:#?}",
        store.dimensions(),
        store.call_info(),
        read(store, Wanted::default()),
    )
}

#[test]
fn stores_of_all_formats_have_the_same_content() {
    let [first, others @ ..] = &(1..=FORMAT).collect::<Vec<_>>()[..] else { panic!("no format") };
    let opened = |format: &u32| {
        let store = Store::open(&frozen(*format)).unwrap_or_else(|error| panic!("format {format}: {error}"));
        assert_eq!(store.manifest().format, *format);
        content(&store)
    };
    let expected = opened(first);
    assert!(expected.contains("MPI_COMM_WORLD") && expected.lines().count() > 10_000, "the frozen run has rows");
    assert!(!others.is_empty());
    for format in others {
        // Not assert_eq!: the texts have thousands of lines.
        assert!(opened(format) == expected, "format {format} has another content than format {first}");
    }
}
