//! From rank files to rows: one clock, messages and collective operations matched.
//!
//! # Design constraints
//!
//! * **Streaming.** Rank files are read in stretches of time, all ranks side by side ([`Ingest::next`]). What stays
//!   in memory between two stretches is what is in flight: requests, messages and collective operations of which
//!   a part is missing.
//! * **Parallel.** Each rank is decoded by itself, and the next batch can be made while one is looked at
//!   ([`Ingest::tables`]). What comes out is the same with any number of threads.
//! * **Counting instead of searching.** MPI keeps messages with the same communicator, sender, receiver and tag in
//!   order (MPI-5.0 §3.5), and collective operations on a communicator (§6.14). So the k-th send belongs to the
//!   k-th receive, whatever their times: clocks play no part in matching.
//! * **Loss is data.** Where a ring was overwritten counting begins where the summary says it must; what has lost
//!   its other half is handed on as [`mpiscope_store::Lone`].

#![deny(missing_docs)]

mod clocks;
mod collectives;
mod comms;
mod cores;
mod cuts;
mod damage;
mod dimensions;
mod envelopes;
mod facts;
mod groups;
mod input;
mod messages;
mod moments;
mod open;
mod ordered;
mod plan;
mod rank;
mod receives;
mod routes;
mod stream;
mod streams;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod totals;

pub use moments::Moments;
pub use stream::{Ingest, IngestError, Tables};
