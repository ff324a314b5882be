//! Whether a program's MPI is correct: events of all its processes in, findings out.
//!
//! Design constraints. No I/O, nothing is printed, no clock is read: the caller brings events, says when it has read all there
//! is ([`Judge::standstill`]) and takes the findings. What is found does not depend on how events of different processes
//! are interleaved. Memory is bounded by what is outstanding. Events come from files that may be damaged: nothing in them
//! is believed, nothing panics.
//!
//! | module | what |
//! |---|---|
//! | [`objects`], [`signature`], [`kinds`] | what ids, datatypes and functions stand for |
//! | [`elements`] | basic elements of data, where they lie |
//! | [`process`] | where each process is |
//! | [`messages`] | sends and receives to messages |
//! | [`worlds`] | who has met whom by `MPI_Comm_spawn`, `MPI_Comm_accept` and `MPI_Comm_connect` |
//! | [`collectives`] | parts to collective operations, and whether they fit |
//! | [`stuck`] | who waits for whom, for ever |
//! | [`replay`], [`clocks`] | the run without buffering; what was before what |
//! | [`others`] | the run with other matches of receives from any source |
//! | [`looks`], [`memory`] | windows and files: who accesses which bytes in which order |
//! | [`bsend`] | room for buffered sends |
//! | [`rules`], [`report`], [`names`] | texts |

mod bsend;
mod clocks;
mod collectives;
mod elements;
pub mod finding;
mod judge;
mod kinds;
mod looks;
mod memory;
mod messages;
mod names;
mod nocheck;
mod objects;
mod others;
mod packed;
mod process;
mod replay;
mod report;
pub mod rules;
pub mod settings;
mod shared;
mod signature;
mod slab;
mod stuck;
mod take;
mod tell;
#[cfg(feature = "testing")]
pub mod testing;
mod threads;
mod worlds;

pub use elements::{Element, Sort};
pub use finding::{Confidence, Finding, MAY_HAVE_WRITTEN, MAY_READ, MAY_WRITE, Party, Severity};
pub use judge::{Ended, Introduction, Judge};
pub use settings::Settings;
pub use stuck::Beyond;
pub use worlds::Stranger;
