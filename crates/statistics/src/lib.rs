//! Statistics of repeated measurements of time.
//!
//! # Design constraints
//!
//! - Times are not normally distributed: they have a floor, a tail, and sometimes two modes. Everything here uses ranks and
//!   medians, so that a few slow samples do not move a result.
//! - Pure functions of slices. What is random ([`bootstrap()`]) takes a seed, so that a result can be computed again.
//! - Samples are finite numbers; other values are the caller's mistake and give a meaningless result, never a panic.

mod bootstrap;
mod compare;
mod drift;
mod median;
mod modes;
mod piecewise;
mod warm_up;

pub use bootstrap::{bootstrap, resampled};
pub use compare::{Comparison, adjusted, compare};
pub use drift::{Drift, drift};
pub use median::{Estimate, Summary, median, median_interval, quantile, sorted, summary};
pub use modes::{Modes, second_mode};
pub use piecewise::{Point, Segment, fit, fit_between, predict};
pub use warm_up::warm_up;

/// The two-sided confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;
