//! Which rank on which node.
//!
//! # Design constraints
//!
//! * Pure: what ranks send to each other and where they can be in, orders and files out.
//! * An order is the node of each rank. Nodes are numbers; their names matter only in files for launchers.

mod cost;
mod files;
mod lines;
mod mapping;
mod orders;
mod partition;
mod partitioner;
mod read;
#[cfg(test)]
mod tests;

pub use cost::{By, Cost, Sent, between_packages, cost, loads, ties, together};
pub use files::{File, files, new_ranks};
pub use lines::{Line, lines};
pub use mapping::{closer, hop_bytes};
pub use orders::{Hops, IDS, Named, Nodes, is_named, named, orders};
pub use partition::{Ties, blocks, crossing, grown, improve};
pub use partitioner::by_metis;
pub use read::read;
