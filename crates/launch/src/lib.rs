//! Everything that is decided before and after a program runs under mpiscope.
//!
//! # Design constraints
//!
//! - Nothing of the program is executed to learn about it: ELF files are read, the dynamic
//!   loader is asked for its list, and a Python is asked which MPI its mpi4py maps.
//! - `exec` stands between a launcher and every rank, so its part ([`supervise`], [`run_dir`],
//!   [`spool`]) reads no ELF file but the program's own first page and starts nothing. Of a program whose buffers are checked
//!   it reads what it needs, too ([`instrumented`]).
//! - This crate returns typed errors and prints nothing.
//! - Several `exec` of one job meet in one directory without talking to each other: every
//!   agreement is an atomic step of the file system (`link`, `rename`, `mkdir`, `O_EXCL`). Only
//!   clocks are compared by messages ([`clocks`]), and nothing depends on that; [`meeting`] is how they are found.

pub mod beside;
pub mod child;
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
pub mod hung;
pub mod instrumented;
pub mod job;
pub mod launcher;
pub mod library;
pub mod live;
pub mod manifest;
pub mod meeting;
pub mod mpi;
pub mod node;
pub mod objects;
pub mod options;
pub mod outcome;
pub mod program;
pub mod reach;
pub mod run_dir;
pub mod settings;
pub mod spool;
pub mod supervise;
pub mod threads;
pub mod words;

pub use diagnosis::{Asked, Diagnosis};
pub use spool::{Gathered, gather};
