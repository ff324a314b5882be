//! Rows of a run: their meaning, and their format on disk.
//!
//! # Design constraints
//!
//! * Row types are plain data and independent of rank files. The producer (`ingest`) and the consumers (`analysis`, `query`)
//!   share only this crate.
//! * Rows are in [`Batch`]es in order of time, so that no component needs a whole run in memory. Repeated properties of calls
//!   are stored once as [`CallInfo`]; a [`Call`] refers to them.
//! * Times are ns since the origin of the run on the reference clock, sizes bytes, ids dense from 0.

mod batch;
mod dimensions;
mod disk;
mod ids;
mod reorder_window;
mod rows;

pub use batch::{Batch, RankBatch};
pub use dimensions::{CommRow, DatatypeRow, Dimensions, Neighbors, RankRow, RegionRow, SiteRow, Unreadable};
pub use disk::{
    About, Batches, CallColumns, Cancel, CollectiveRow, FORMAT, Manifest, OperationMember, RankSpan, RowGroups, Store,
    StoreError, TableSize, WaitSpan, Wanted, WindowCalls, WindowReader, WindowRows, Writer, Zone,
};
pub use ids::{CommId, GroupId, RankId, RegionId, SiteId};
pub use mpiscope_records::{CpuSample, HostCores, HostSample, RankCores};
pub use reorder_window::{BEHIND, Behind};
pub use rows::{
    Call, CallInfo, Collective, Detail, End, Lone, LoneReason, LossRow, Member, Message, NO_TAG, Span, UnfinishedCall,
    WaitCause, WaitRow, flags,
};
