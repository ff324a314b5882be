//! The preloaded library.
//!
//! # Design constraints
//!
//! * It runs in the process of another program: it never exits, aborts, prints to stdout or changes what the program can observe
//!   of a call. If it cannot continue, it switches itself off, reports that once on stderr, and forwards every call.
//! * It needs no MPI to be built or loaded: no `mpi.h`, no `DT_NEEDED`, no undefined MPI symbol. In
//!   a process that never calls MPI it changes nothing: no thread, no file. Its constructor reads one
//!   variable and, in a recorded job, checks whether an MPI is loaded (`visibility`).
//! * On the path of a recorded call there is no allocation, lock, system call or MPI call.
//!   Exceptions: the first call of a process and of a thread, a new combination of arguments, creation of MPI objects, and the
//!   switch to the next ring chunk.
//!
//! # Map
//!
//! `symbol` (exported stubs) → `trampoline` (assembly) → `record` (before and after a call) →
//! `decode` (arguments to words) → `intern` (words to a shape) → `trace::writer` (the ring).
//! `check` checks calls for errors and reports what they are about to do, if enabled.
//! `process` finds the MPI (`elf`, `mpi`), shows hidden symbols (`visibility`) and maps the rank
//! file (`file`) at the first call; `objects` tracks communicators, datatypes, windows, files.

// The control build leaves most of the library unused.
#![cfg_attr(feature = "nop", allow(dead_code, unused_imports))]

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux")))]
compile_error!("the collector's trampolines are written for x86-64 and AArch64 Linux");

/// Memory of ours comes from maps of ours. In the program's heap it would move the program's own blocks, and a program
/// that reads memory it has freed or never written would behave differently because of us.
#[global_allocator]
static HEAP: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

mod adaptors;
mod annotate;
mod check;
mod clock;
mod config;
mod constructors;
mod decode;
mod elf;
mod facts;
mod file;
#[rustfmt::skip] // as its generator wrote it
mod generated;
mod call_plan;
mod chained_tools;
mod groups;
mod handles;
mod hooks;
mod intern;
mod lifecycle;
mod mpi;
mod objects;
mod places;
mod process;
mod python;
mod queues;
mod record;
mod requests;
mod sections;
mod sites;
mod stack;
mod status_bytes;
mod symbol;
mod thread;
mod tls;
mod trampoline;
mod unrecorded;
mod visibility;
