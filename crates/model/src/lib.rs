//! What a run would have been under a change.
//!
//! # Design constraints
//!
//! * Pure: a [`Tape`] in, an [`Outcome`] out. No files, no clock, no printing.
//! * The replay reproduces the recorded run exactly when nothing changes. A prediction is the difference between two
//!   replays of one tape.
//! * Memory does not grow with the length of the run: a tape keeps a fixed number of stretches, spread evenly over it.
//! * Ranks, kinds of needs and facts of calls are numbers of the caller's.
//!
//! # The model
//!
//! A rank computes, enters a call, leaves it when all that the call needs has come and the call has done its own work,
//! and computes again:
//!
//! ```text
//! entry = exit of the call before + computing
//! exit  = max(entry, latest of what the call needs) + own
//! ```
//!
//! *Computing* and *own* are as recorded, unless a [`Change`] says otherwise. What a call needs is the entry of another
//! rank's call (a receive needs the entry of the send), or of several (a barrier needs all). *Own* is what the recorded
//! call took after the latest of its needs: moving data, and the work of the library. So a wait that becomes shorter
//! at one call becomes longer at the next one, where the next one needs the same late rank.
//!
//! Source: trace-driven replay as in Dimemas (Labarta, Girona, Pillet, Cortes & Gregoris, "DiP: a parallel program
//! development environment", Euro-Par 1996), without its network model.
//!
//! # The other model
//!
//! The tape knows what calls needed, not why. Where the network, the protocol or the calls themselves change, needs change too: that is
//! what [`simulation`] is for. It takes a program with its messages and operations, and the costs of a network.

mod replay;
pub mod simulation;
mod tape;
#[cfg(test)]
mod tests;

pub use replay::{AsRecorded, Change, Fate, KINDS, Outcome, replay};
pub use tape::{Limits, Need, On, Own, Tape};
