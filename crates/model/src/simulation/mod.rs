//! A program on a network: what ranks do, what communication costs, and when they do it then.
//!
//! ```text
//! program (calls, messages, operations) + network (costs) ─► simulation ─► when each call begins and ends
//! ```
//!
//! Computing between calls is as given; everything else follows from the network. Messages match as in the recorded run.

mod algorithms;
mod crowd;
mod engine;
mod flows;
mod hierarchy;
mod network;
mod program;
#[cfg(test)]
mod tests;

pub use algorithms::Algorithm;
pub use engine::{Outcome, Simulation, Waiting, Watch};
pub use hierarchy::Hierarchy;
pub use network::{Curve, Link, Network, Routes};
pub use program::{Calls, Data, Id, Kind, Mode, Part, Section, Shape, Step};
