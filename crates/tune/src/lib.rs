//! Variables and parameters of MPIs and of what they use: what exists, what is set, and what is wrong with it.
//!
//! # Design constraints
//!
//! - Pure: the caller provides the environment, the contents of files and the words of the launcher. Nothing is read or
//!   started here.
//! - The tables are data (`data/`). Lists that libraries have themselves are made by `tools/variables/generate.py`; what people
//!   write about them is in `data/notes/`, merged by name, so that each part can change without the other.
//! - A finding is *certain* only if the table contains this version of the MPI, or the library at hand was read. What a
//!   different build of the same version could excuse is *possible*.

pub mod algorithms;
mod candidates;
mod compare;
mod components;
mod examine;
mod family;
mod files;
mod launcher;
mod memory_use;
mod names;
mod nearest;
mod page;
mod rules;
mod search;
mod setting;
mod table;
mod value;
mod version;

pub use candidates::{
    Candidate, Change, Facts, Found, RankOrder, Start, Untried, accesses_files, candidates, hint_files, order, shares,
};
pub use compare::{Differences, Listed, differences};
pub use examine::{Input, Report, examine};
pub use family::Family;
pub use files::{FileProblem, Parsed, parse_params};
pub use launcher::{Handed, Words};
pub use memory_use::{SharedMemory, shared_memory};
pub use names::{Known, lookup};
pub use page::page;
pub use rules::{Certainty, Finding, Rule};
pub use search::{Hit, search, subjects};
pub use setting::{Setting, Shown, Source, Target};
pub use table::{Choice, Entry, Kind, Note, entries, entry, every};
pub use version::{Range, Version};
