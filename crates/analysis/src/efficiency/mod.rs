//! Efficiencies, the critical path, what delays cost.

use crate::rules::Rule;

/// Rules of this part.
pub const RULES: &[Rule] = &[];
