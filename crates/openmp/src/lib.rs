//! `libmpiscope_openmp.so`, preloaded by `mpiscope check --thread-races`: tells the compiler's race detector what OpenMP orders.
//!
//! GCC's OpenMP library is not instrumented. Its threads wait for each other by futexes and atomics that the detector does not see, so
//! it takes each value that is written before a barrier and read behind it for a race. Here the library's functions have wrappers that
//! say what they order (`__tsan_release` before, `__tsan_acquire` behind). LLVM's library has that of its own (`libarcher.so`).
//!
//! # Design constraints
//!
//! * Orders are never too few: where it would take long to say exactly which task is before which, all that have ended are. A race may
//!   be missed then; a right program is never blamed.
//! * What a function does stays the real one's. Without it, or without a detector in the process, the wrappers only pass on.
//! * A barrier has two places in turn: a thread that has come to the next one must not be before those that have not left this one.
//!
//! | file | what |
//! |---|---|
//! | `detector.rs` | the detector's functions, where there is one |
//! | `real.rs` | the real functions |
//! | `team.rs` | threads of a parallel region, and their barriers |
//! | `regions.rs` | parallel regions and what shares work in them |
//! | `locks.rs` | locks, critical and ordered sections |
//! | `tasks.rs` | tasks |

#![allow(non_snake_case)] // names are those of the library

mod detector;
mod locks;
mod real;
mod regions;
mod tasks;
mod team;
