//! The events that a checked process writes about its calls while they happen, and the ring for them.
//!
//! The records of [`crate::writer`] are written when a call returns, and say how long it took. A judge of
//! correctness needs something else: what a call is about to do before it does it, because it may never return,
//! and arguments that nobody measures (roots, tags of both sides, addresses). So a checked process writes
//! [`Event`]s into a second ring beside its records. It is read while the program runs; a writer that finds it
//! full waits for its reader, and goes on without it when there is none ([`ring`]).
//!
//! Ids are those of the rank file's definitions ([`crate::defs`]), which are written before an event names them.

pub mod agreed;
pub mod event;
pub mod ring;
pub mod rule;
pub mod words;

pub use event::{Event, Head};
