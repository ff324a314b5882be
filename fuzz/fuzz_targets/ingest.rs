//! Rank files of any bytes to rows. The input holds two files in the folded form: the first two bytes say where the
//! second begins, in units of 16 bytes.
#![no_main]

use std::cell::OnceCell;

use libfuzzer_sys::fuzz_target;
use mpiscope_ingest::testing::ingested_bytes;
use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

fuzz_target!(|bytes: &[u8]| {
    let Some((head, files)) = bytes.split_first_chunk::<2>() else { return };
    let second = (usize::from(u16::from_le_bytes(*head)) * 16).min(files.len());
    let (first, second) = files.split_at(second);
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| tempfile::tempdir().expect("a folder"));
        let found = ingested_bytes(&[first, second], folder.path());
        for batch in found.iter().flat_map(|f| &f.batches) {
            assert!(batch.collectives.iter().all(|c| c.members.end <= batch.members.len()));
        }
    });
});
