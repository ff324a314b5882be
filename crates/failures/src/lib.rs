//! What error messages of MPI jobs mean: a catalogue of messages, and finding them in logs.
//!
//! # Design constraints
//!
//! - Pure: bytes come by [`Scanner::feed`], the result is data. No file, clock, environment or process is touched.
//! - Any bytes in any pieces: no line is too long, nothing has to be UTF-8, and memory does not grow with the log.
//! - One pass of one automaton over the bytes, for all messages. What it finds is verified in the lines around.
//! - Messages are data (`messages/*.toml`), so that a new one needs no code. [decision](../../../docs/decisions/0042-catalogue-of-messages.md)

mod bounded;
mod catalogue;
mod context;
mod entry;
mod finding;
mod folded;
mod lanes;
mod page;
mod pattern;
mod prefix;
mod scan;
mod troubles;
mod unknown;
mod view;

pub use catalogue::{Catalogue, catalogue};
pub use entry::{Entry, Role, Source};
pub use finding::{Finding, Findings, Place, Unknown};
pub use page::page;
pub use scan::Scanner;
