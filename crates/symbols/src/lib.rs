//! Resolves addresses to function, file and line, after the run and outside of the program.
//!
//! # Design constraints
//!
//! * Work is done by module: all addresses of one ELF file are resolved together while it is mapped. Only the results stay in
//!   memory, so a run with hundreds of libraries needs only as much as the largest of them.
//! * A file that is not the one that the program ran (another build id) is rejected: its results would look right, but be wrong.
//! * Every address gets the best available result: inlined frames with file and line from DWARF, `function+0x1c` from a symbol
//!   table, otherwise `libfoo.so+0x1234`.
//! * Files are not trusted: damaged ones give a less precise result, never a panic.

mod code;
pub mod declared;
mod dwarf;
mod elf;
mod names;
mod places;
mod resolve;
mod table;
mod tail;

pub use code::{Calls, ReportedCall, asks_for_ever, drops_result, goes_on_alike, touched};
pub use places::{CodePlace, NoPlace, ResolvedPlace as Located};
pub use resolve::{Frame, ModuleAnswers, Precision, Problem, Resolved, Resolver};
pub use tail::{stem, tail_calls, tails};

use std::path::PathBuf;

/// An ELF file that a process had mapped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleFile {
    /// Its path.
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
