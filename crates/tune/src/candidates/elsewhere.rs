//! What other commands or people decide.

use super::{Facts, Found};

pub(super) fn find(facts: &Facts, found: &mut Found) {
    match facts.hosts > 1 {
        true => found.leave("order of the ranks", "see: mpiscope place RUN"),
        false => found.leave("order of the ranks", "all ranks are on one host"),
    }
    if facts.share(|name| name.starts_with("MPI_File_")) > 0.02 {
        found.leave("hints for files", "they depend on the file system: set ROMIO_HINTS by hand");
    }
}
