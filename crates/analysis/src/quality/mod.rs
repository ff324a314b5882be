//! How well communication is done: sizes, speed, overlap, calls that could be left out.

use crate::rules::Rule;

/// Rules of this part.
pub const RULES: &[Rule] = &[];
