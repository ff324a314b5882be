//! Placeholder.
pub const CLOCKS: &str = "clocks";
