//! Rows of a run: what they mean, and how they stand on disk.
//!
//! # Design constraints
//!
//! * Row types are plain data and know nothing of rank files. Whoever makes them (`ingest`) and whoever reads
//!   them (`analysis`, `query`) share only this crate.
//! * Rows come in [`Batch`]es in order of time, so that nobody needs a whole run in memory. What of a call
//!   repeats stands once in [`Facts`]; a [`Call`] refers to it.
//! * Times are ns since the origin of the run on the reference clock, sizes bytes, ids dense from 0.

#![deny(missing_docs)]

mod batch;
mod cores;
mod dimensions;
mod disk;
mod ids;
mod rows;

pub use batch::{Batch, RankBatch};
pub use cores::{CpuSample, HostCores, HostSample, RankCores};
pub use dimensions::{CommRow, DatatypeRow, Dimensions, RankRow, RegionRow, SiteRow, Unreadable};
pub use disk::{
    About, Batches, CallColumns, Cancel, CollectiveRow, FORMAT, Found, Kept, Manifest, OperationMember, RankSpan,
    RowGroups, Store, StoreError, TableSize, WaitSpan, Wanted, WindowReader, Writer, Zone,
};
pub use ids::{CommId, GroupId, RankId, RegionId, SiteId};
pub use rows::{
    Call, Collective, Detail, End, Facts, Lone, LoneReason, LossRow, Member, Message, NO_TAG, Open, Span, WaitCause,
    WaitRow, flags,
};
