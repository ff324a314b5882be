//! From rank files to rows: one clock, messages and collective operations matched.
//!
//! # Design constraints
//!
//! * **Streaming.** Rank files are read in time intervals, all ranks together ([`Ingest::next_batch`]). Only incomplete requests,
//!   messages and collective operations stay in memory between two intervals.
//! * **Parallel.** Each rank is decoded separately, and the next batch can be decoded while one is analysed
//!   ([`Ingest::tables`]). The result is the same with any number of threads.
//! * **Counting instead of searching.** MPI keeps messages with the same communicator, sender, receiver and tag in
//!   order (MPI-5.0 §3.5), and collective operations on a communicator (§6.14). So the k-th send matches the k-th receive,
//!   whatever their times: matching does not use clocks.
//! * **Loss is data.** If a ring was overwritten, the summary determines where counting starts; events without their other
//!   half are passed on as [`mpiscope_store::Lone`].

mod call_info;
mod clocks;
mod collectives;
mod comms;
mod cores;
mod cuts;
mod damage;
mod dimensions;
mod envelopes;
mod groups;
mod input;
mod messages;
mod moments;
mod ordered;
mod rank;
mod receives;
mod routes;
mod row_plan;
mod stream;
mod streams;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod totals;
mod turns;
mod unfinished_calls;

pub use input::Times;
pub use moments::Moments;
pub use stream::{Ingest, IngestError, Tables};
