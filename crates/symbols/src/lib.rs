//! Addresses to function, file and line, after the run and from outside.
//!
//! # Design constraints
//!
//! * Work goes by module: all addresses of one ELF file are resolved in one go, while it is
//!   mapped. Only the answers stay in memory, so a run over hundreds of libraries needs as much as
//!   the largest of them.
//! * A file that is not the one the program ran (another build id) is worse than none: its
//!   answers would look right and be wrong. It is refused.
//! * Every address gets an answer, the best there is: inlined frames with file and line from
//!   DWARF, `function+0x1c` from a symbol table, `libfoo.so+0x1234` from nothing at all.
//! * Files come from strangers: damaged ones give the lesser answer, never a panic.

#![deny(missing_docs)]

mod code;
pub mod declared;
mod dwarf;
mod elf;
mod names;
mod places;
mod resolve;
mod table;
mod tail;

pub use code::{Calls, Told, asks_for_ever, drops_result, goes_on_alike, touched};
pub use places::{Found as Located, NoPlace, Place};
pub use resolve::{Found, Frame, Precision, Problem, Resolved, Resolver};
pub use tail::{stem, tail_calls, tails};

use std::path::PathBuf;

/// An ELF file that a process had mapped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleFile {
    /// Where it was.
    pub path: PathBuf,
    /// `NT_GNU_BUILD_ID`, empty when it had none.
    pub build_id: Vec<u8>,
}

impl ModuleFile {
    /// Last part of the path, for people.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(|| self.path.display().to_string(), |n| n.to_string_lossy().into_owned())
    }
}
