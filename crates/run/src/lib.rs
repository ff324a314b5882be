//! Reads runs and computes summaries.
//!
//! # Design constraints
//!
//! * A run is opened once: all rank files are read in parallel; their shapes are folded into small tallies and freed, so that
//!   a run of thousands of ranks fits into memory. Events are read from the file again, rank by rank, on request.
//! * Summaries are computed only from the shapes. They are complete whatever the rings have lost.
//! * Damage is reported and tolerated: one bad file loses its own rank, not the run.
//! * Times are integer nanoseconds, sizes bytes; names of fields carry the unit. Rows are plain
//!   data with `serde`, the same for the terminal, JSON, the server and Python.

mod call_stats;
mod clocks;
mod comms;
mod cores;
mod cpus;
mod defs;
mod diagnostic;
mod events;
mod exit_status;
mod hosts;
mod listing;
mod losses;
mod messages;
mod objects;
mod protocol;
mod regions;
mod run;
mod run_header;
mod sites;
mod size_bins;
pub mod snapshots;
mod summary;
mod tables;
mod tally;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod topology;
mod unreached_places;
pub mod worlds;

pub use clocks::{Basis, ClockMap, ClockRow, Clocks, Moment, Round};
pub use comms::{CommFacts, CommKey, CommNames};
pub use cores::{host_cores, rank_cores};
pub use defs::Defs;
pub use diagnostic::Diagnostic;
pub use events::TimedEvent;
pub use exit_status::{Fate, InFlightCall, signal_name};
pub use hosts::{CpuPlace, HostRow, Hosts, PeerClass};
pub use losses::{Losses, Unseen};
pub use mpiscope_records::Predicted;
pub use mpiscope_symbols::Resolver;
pub use objects::{DatatypeRow, FileRow, WindowRow};
pub use protocol::ProtocolRow;
pub use regions::{LabelRow, RegionCall, RegionRow};
pub use run::{Live, OpenError, Rank, Run, ThreadFacts};
pub use run_header::{RankHead, RunHeader};
pub use sites::{CallStack, FrameRow, SiteTable};
pub use size_bins::{BINS, bin_of, bin_range};
pub use summary::{Overview, Summary, family_name};
pub use tables::{CallRow, CommCall, CommRow, Extreme, PeerRow, RankRow, SiteRow, SizeRow, Spread};
pub use tally::Measure;
pub use worlds::WorldRow;
