//! Experiments with settings of a program: which run comes next, and what the times prove.
//!
//! # Design constraints
//!
//! - Pure: the caller runs the program and provides its time. The whole state can be stored after each run and resumed.
//! - What selects does not prove. Screening chooses among many candidates, so its best one looks better than it is (the winner's
//!   curse). A gain is claimed only from runs that are made after the choice.
//! - Times of runs have tails and drift. Compared are neighbours in time, in random order, by their logarithms, and only the sign of
//!   a difference counts: no distribution is assumed. Where runs do not agree, the sum of all of them is compared once, at the end.
//!
//! ```text
//! noise ─► screening (successive halving) ─► combining ─► confirming ─► verdict
//! ```

mod search;
mod sequential;
mod totals;
mod trials;
mod verdict;

pub use search::{Left, Outcome, Phase, Search};
pub use sequential::{Bounds, bounds};
pub use totals::Total;
pub use trials::{Set, Trial};
pub use verdict::{CandidateResult, Fate, Gain, Verdict};

/// The probability that a claimed gain is none, over a whole search.
pub const ERROR_RATE: f64 = 0.05;
