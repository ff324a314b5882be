//! Rank files once more, with other times: the same calls, arguments, requests and definitions.
//!
//! # Design constraints
//!
//! * What is read is a rank file, and what is written is one: every reader of runs reads it like a recorded one.
//! * **Streaming.** Records are read, given their time and written in order; memory does not grow with the length of the ring.
//!   Files are open only while a piece of them is read or written, since a run may have more ranks than a process may have files.
//! * Ticks of the copy are nanoseconds since one origin, on all hosts.
//! * What the caller knows no time of (calls of other threads, regions, markers) keeps its place between the calls around it
//!   ([`TimeMap`]).
//!
//! ```text
//! RUN/ranks/x.rank ─► records ─┐
//! times of calls ──────────────┼─► RankCopy ─► OUT/ranks/x.rank
//! ```

mod rank_copy;
mod requests;
mod shapes;
mod target;
#[cfg(test)]
mod tests;
mod time_map;

pub use rank_copy::{Becomes, Carries, End, How, Plan, RankCopy, Times};
pub use time_map::TimeMap;
