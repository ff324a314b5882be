//! Whether a program's MPI is correct: events of all its processes in, findings out.
//!
//! Design constraints. No I/O, no output, no clock: the caller passes events, calls [`Judge::standstill`] when it has read all that
//! exist, and takes the findings. The findings do not depend on how events of different processes
//! are interleaved. Memory is bounded by the outstanding operations. Events come from files that may be damaged: everything in them
//! is validated, nothing panics.
//!
//! | module | what |
//! |---|---|
//! | [`objects`], [`signature`], [`collective_traits`] | the meaning of ids, datatypes and functions |
//! | [`elements`] | basic elements of data and their addresses |
//! | [`process`] | the state of each process |
//! | [`messages`] | sends and receives to messages |
//! | [`worlds`] | processes that are connected by `MPI_Comm_spawn`, `MPI_Comm_accept` and `MPI_Comm_connect` |
//! | [`collectives`] | calls to collective operations, and whether they match |
//! | [`deadlock`] | deadlocks |
//! | [`replay`], [`clocks`] | the run without buffering; the order of events |
//! | [`other_matches`] | the run with other matches of wildcard receives |
//! | [`access_conflicts`], [`memory`] | windows and files: accesses, their bytes and their order |
//! | [`bsend`] | room for buffered sends |
//! | [`rules`], [`report`], [`names`] | texts |

mod access_conflicts;
mod assertions;
mod bsend;
mod clocks;
mod collective_traits;
mod collectives;
mod deadlock;
mod diagnostics;
mod dispatch;
mod elements;
pub mod finding;
mod judge;
mod memory;
mod messages;
mod names;
mod objects;
mod other_matches;
mod packed;
mod process;
mod replay;
mod report;
pub mod rules;
pub mod settings;
mod shared;
mod signature;
mod slab;
#[cfg(feature = "testing")]
pub mod testing;
mod threads;
mod worlds;

pub use deadlock::Beyond;
pub use elements::{Element, Sort};
pub use finding::{Confidence, Finding, MAY_HAVE_WRITTEN, MAY_READ, MAY_WRITE, Party, Severity};
pub use judge::{Ended, Introduction, Judge};
pub use settings::Settings;
pub use worlds::Stranger;
