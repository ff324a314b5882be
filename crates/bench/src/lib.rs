//! Experiments on a machine and its MPI: `mpiscope bench`.
//!
//! # Design constraints
//!
//! - The ranks are the mpiscope executable itself; the MPI is opened at run time ([`mpiscope_mpi`]).
//! - Ranks only measure. They append what they measure to a journal ([`JOURNAL`]), so that nothing is lost when a rank dies
//!   or the job is interrupted. [`make_profile`] makes the profile out of it: statistics, fits, verdicts.
//! - Ranks that have nothing to do sleep: a rank that waits inside an MPI would use a core that the others need.
//! - A benchmark that moves wrong bytes is a failure, not a number: each buffer is verified once for each kind and size.
//! - This crate prints nothing.
//!
//! An experiment is one file, registered in [`EXPERIMENTS`].

mod alone;
mod arithmetic;
mod bcast;
mod buffers;
mod choice;
mod collectives;
mod comparison;
mod contention;
mod crew;
mod datatypes;
mod doubling;
mod error;
mod experiment;
mod fanout;
mod frequency;
mod further;
mod halo;
mod hops;
mod intervals;
mod journal;
mod memory;
mod noise;
mod one_sided;
mod overlap;
mod pairs;
mod pairwise;
mod partitioned;
mod pingpong;
mod placement;
mod point;
mod processors;
mod profile;
mod queue;
mod quiet;
mod ratio;
mod rma;
mod rounds;
mod schedule;
mod session;
mod slow;
mod start;
mod steps;
mod swap;
mod threads;
mod windows;

pub use comparison::{CompareError, CurveChange, Differences, ParameterChange, Verdict, compare};
pub use error::BenchError;
pub use experiment::{AxisOf, EXPERIMENTS, Experiment, MESSAGE_SIZE, Numbers, Rows, Table, chosen, possible};
pub use further::{Further, Launch, Launches};
pub use journal::JOURNAL;
pub use placement::check_order;
pub use profile::{add_problem, make_profile};
pub use session::{Plan, Step, run};
