//! How a program scales.
//!
//! # Design constraints
//!
//! * Pure: sums of runs in, models and predictions out. No files, no clock, no printing; the same input gives the same result.
//! * Sums are enough: runs without events can be used.
//! * Nothing is predicted without a range, and ranges widen with the distance from what was measured. What is weak evidence is reported as such.

mod answer;
mod fit;
mod notes;
mod sums;
mod surface;
mod term;

pub use answer::{Answer, Dominates, MOST_RANKS, Measured, Predicted, Scaling, Site, predict};
pub use fit::{Model, Part, Point, REPETITIONS, Range};
pub use sums::{Asked, ScalingError, SiteSums, Sums};
pub use surface::{Decomposition, Decompositions, Exchange, Sent, Shape, decompositions};
pub use term::{At, CONSTANT, Term};
