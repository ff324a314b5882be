//! Everything before and after a program runs under mpiscope.
//!
//! # Design constraints
//!
//! - No code of the program is executed to examine it: ELF files are read, the dynamic loader lists libraries, and a Python
//!   interpreter reports which MPI its mpi4py loads.
//! - `exec` runs between a launcher and every rank, so its part ([`supervise`], [`run_dir`], [`spool`]) reads only the first page
//!   of the program's ELF file and starts nothing else. If buffers are checked, it also reads the program's dependencies
//!   ([`instrumented`]).
//! - This crate returns typed errors and prints nothing.
//! - The `exec` processes of a job share one directory without communication: they agree by atomic operations of the file system
//!   (`link`, `rename`, `mkdir`, `O_EXCL`). Only clocks are compared by messages ([`clocks`]), and nothing depends on that;
//!   [`rendezvous`] connects them.

pub mod clock;
pub mod clocks;
pub mod control;
pub mod copy_speed;
pub mod cores;
pub mod diagnosis;
pub mod doctor;
pub mod elf;
pub mod env;
pub mod exit_record;
pub mod host;
pub mod host_leader;
pub mod hung_launcher;
pub mod instrumented;
pub mod job;
pub mod launcher;
pub mod library;
pub mod live;
pub mod manifest;
pub mod mpi;
pub mod node;
pub mod objects;
pub mod options;
pub mod outcome;
pub mod program;
pub mod remote_gather;
pub mod rendezvous;
pub mod run_dir;
pub mod settings;
pub mod shell_words;
pub mod spool;
pub mod subprocess;
pub mod supervise;
pub mod threads;
pub mod timed;

pub use diagnosis::{Asked, Diagnosis};
pub use spool::{Gathered, gather};
