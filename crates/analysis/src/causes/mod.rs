//! Causes before symptoms: what each finding would save, and which of them another one brings about.
//!
//! A finding says how to change the run ([`Remedy`]). A replay of the recorded run with that change says what it saves:
//! where the wait only moves to the next call, that is nothing. Waits are followed to the rank that was late of its own
//! accord; where another finding speaks of that rank, the wait is a symptom of it.

mod behind;
mod remedy;
mod savings;
#[cfg(test)]
mod tests;
mod unexplained;

pub(crate) use behind::Behind;
pub(crate) use remedy::{Balance, Remedy, Share};
pub use savings::Reproduction;
pub(crate) use savings::{Run, judge, order, saved_ns};
pub(crate) use unexplained::{RULE as UNEXPLAINED, find as find_unexplained};
