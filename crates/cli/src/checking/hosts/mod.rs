//! Rings of other hosts ([decision](../../../../../docs/decisions/0025-rings-of-other-hosts.md)).
//!
//! ```text
//! host a:  rings ──mmap──► judge (Hub)◄─┬─ TCP ── relay of host b ◄──mmap── rings of b
//!                                       └─ TCP ── relay of host c ◄── TCP ── relay of host d …
//! ```
//!
//! A *relay* is one process on each other host, started by the `exec` of its first rank, and belongs to nobody: ranks and
//! `exec` may end as they like. It sends the words of the host's rings and gives room back when the judge has them, so that
//! a connection that breaks loses nothing, and a judge that does not read is one that nobody waits for.
//!
//! Beats come from the judge and are answered when all rings were read after them. So the judge knows when it has heard
//! everything that was said before a moment, relays know that it lives, and both how far their clocks are apart.

mod far;
mod hub;
mod link;
pub mod relay;
mod tree;
mod wire;

use std::path::{Path, PathBuf};

use mpiscope_query::Checks;

pub use far::Far;
pub use hub::Hub;
pub use wire::{Frame, State};

/// So many are connected to one directly; further ones to one of those.
pub const FAN: usize = 16;

/// Where the judge of a run says that it listens.
fn place(run: &Path) -> PathBuf {
    run.join(Checks::FOLDER).join("judge.json")
}

#[cfg(test)]
mod tests;
