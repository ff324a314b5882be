//! Rings of other hosts ([decision](../../../../../docs/decisions/0025-rings-of-other-hosts.md)).
//!
//! ```text
//! host a:  rings ──mmap──► judge (Hub)◄─┬─ TCP ── relay of host b ◄──mmap── rings of b
//!                                       └─ TCP ── relay of host c ◄── TCP ── relay of host d …
//! ```
//!
//! A *relay* is one process on each other host. The `exec` of the first rank there starts it detached, so that it does not
//! depend on when ranks and `exec` end. It sends the words of the host's rings and frees their room when the judge has them,
//! so that a broken connection loses nothing, and ranks do not wait for a judge that does not read.
//!
//! The judge sends beats; relays answer when they have read all rings after a beat. This shows the judge when all events
//! before a moment have arrived, shows the relays that the judge is alive, and measures the offset of their clocks.

mod hub;
mod link;
pub mod relay;
mod remote_process;
mod tree;
mod wire;

use std::path::{Path, PathBuf};

use mpiscope_query::Checks;

pub use hub::Hub;
pub use remote_process::RemoteProcess;
pub use wire::{Frame, State};

/// Number of direct connections to one node of the tree; further hosts connect to one of those.
pub const FAN: usize = 16;

/// File with the address of a run's judge.
fn place(run: &Path) -> PathBuf {
    run.join(Checks::FOLDER).join("judge.json")
}

#[cfg(test)]
mod tests;
