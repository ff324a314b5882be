//! Which rank on which node.
//!
//! # Design constraints
//!
//! * Pure: what ranks send to each other and where they can be in, orders and files out.
//! * An order is the node of each rank. Nodes are numbers; their names matter only in files for launchers.

mod cost;
mod files;
mod orders;
mod partition;
#[cfg(test)]
mod tests;

pub use cost::{Cost, Sent, cost, ties};
pub use files::{File, files, new_ranks};
pub use orders::{Named, orders};
pub use partition::{Ties, blocks, crossing, grown, improve};
