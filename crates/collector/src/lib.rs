//! The preloaded library.
//!
//! # Design constraints
//!
//! * It lives in somebody else's process: it never exits, aborts, prints to stdout or changes what
//!   the program can observe of a call. When it cannot go on it switches itself off, says so
//!   once on stderr and every call passes straight through.
//! * It needs no MPI to be built or loaded: no `mpi.h`, no `DT_NEEDED`, no undefined MPI symbol. In
//!   a process that never calls MPI it changes nothing: no thread, no file. Its constructor reads one
//!   variable and, in a job that is recorded, looks whether an MPI is mapped (`visibility`).
//! * On the path of a recorded call there is no allocation, lock, system call or MPI call.
//!   Exceptions: the first call of a process and of a thread, a combination of arguments never
//!   seen before, creation of MPI objects, and the switch to the next ring chunk.
//!
//! # Map
//!
//! `symbol` (exported stubs) → `trampoline` (assembly) → `record` (before and after a call) →
//! `decode` (arguments to words) → `intern` (words to a shape) → `trace::writer` (the ring).
//! `check` looks at calls for mistakes and tells what they are about to do, when asked to.
//! `process` finds the MPI (`elf`, `mpi`), shows hidden symbols (`visibility`) and maps the rank
//! file (`file`) at the first call; `objects` follows communicators, datatypes, windows, files.

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
mod groups;
mod handles;
mod hooks;
mod intern;
mod mpi;
mod next;
mod objects;
mod places;
mod plan;
mod process;
mod python;
mod queues;
mod record;
mod requests;
mod sections;
mod sites;
mod special;
mod stack;
mod symbol;
mod thread;
mod tls;
mod trampoline;
mod unseen;
mod visibility;
