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

mod analysis;
mod catalogue;
mod causes;
mod clocks;
mod compare;
mod completions;
pub mod deadlock;
mod explain;
mod explanation;
mod matching;
mod row_map;
mod rules;
mod slab;
mod time;

pub mod attainable;
pub mod efficiency;
pub mod machine;
pub mod quality;
pub mod structure;
pub mod waits;

pub use analysis::{Analysis, Input};
pub use catalogue::catalogue;
pub use compare::{Change, Judgement, compare};
pub use explain::Explainer;
pub use explanation::efficiency::Reproduction;
pub use explanation::{
    Alternative, Cause, CompletionRow, Confidence, Explanation, Failed, Finding, Gain, Matching, PlaceTime, Proof,
    Relations, Rule, Scope, Subject, TimeSplit, UnreadableRow, Value, Wait, WaitKind, WaitRow, WhyLate, WithoutCore,
    unreadable, unreadable_text,
};
pub use rules::{rule, rules};
