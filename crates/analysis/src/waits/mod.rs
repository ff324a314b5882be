//! Wait states.

use crate::rules::Rule;

/// Rules of this part.
pub const RULES: &[Rule] = &[];
