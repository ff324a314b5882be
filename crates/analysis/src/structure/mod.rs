//! Iterations, phases, patterns of communication, outliers.

use crate::rules::Rule;

/// Rules of this part.
pub const RULES: &[Rule] = &[];
