//! Why ranks wait, which ranks are late, what this costs, and what to do.
//!
//! # Design constraints
//!
//! * Pure: rows in, an [`Explanation`] out. No files, no clock, no printing.
//! * Streaming: an [`Analysis`] sees each [`Batch`](mpiscope_store::Batch) once, in order of time, and keeps what grows
//!   with ranks, call sites or kinds of calls, never with calls.
//! * [`Wait`]s are found first; everything else may use them.
//! * A finding costs something. Costs below a threshold are not reported; each rule states its threshold,
//!   with the reason.
//! * Costs are *rank time*: ns summed over ranks. Shares refer to [`Scope::rank_time_ns`].

#![deny(missing_docs)]

mod causes;
mod clocks;
mod compare;
mod completions;
pub mod deadlock;
mod explain;
mod finding;
mod matching;
mod reorder_window;
mod rule;
mod rules;
mod slab;
mod span;
mod time;
mod unreadable;
mod wait;

pub mod efficiency;
pub mod machine;
pub mod quality;
pub mod structure;
pub mod waits;

pub use causes::Reproduction;
pub use compare::{Change, Judgement, compare};
pub use completions::CompletionRow;
pub use explain::{Analysis, Explainer, Explanation, Failed, Input, Scope};
pub use finding::{Alternative, Confidence, Finding, Proof, Value};
pub use matching::Matching;
pub use rule::{Relations, Rule, Subject, WhyLate, WithoutCore};
pub use rules::{rule, rules};
pub use time::{PlaceTime, TimeSplit};
pub use unreadable::{UnreadableRow, unreadable, unreadable_text};
pub use wait::{Cause, Wait, WaitKind, WaitRow};
