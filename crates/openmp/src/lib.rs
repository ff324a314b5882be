//! `libmpiscope_openmp.so`, preloaded by `mpiscope check --thread-races`: reports OpenMP's synchronization to the compiler's race
//! detector.
//!
//! GCC's OpenMP library is not instrumented. Its threads wait for each other by futexes and atomics that the detector does not see,
//! so it reports a race for each value that is written before a barrier and read after it. Here the library's functions have
//! wrappers that report their ordering (`__tsan_release` before, `__tsan_acquire` after). LLVM's library has its own
//! (`libarcher.so`).
//!
//! # Design constraints
//!
//! * No ordering is missing: where the exact order of tasks would be expensive, a task counts as after all that have ended. This
//!   may miss a race, but never reports one in a correct program.
//! * The behaviour of a function is that of the real one. Without a detector in the process, the wrappers only forward calls.
//! * A barrier uses two addresses in turn: a thread at the next barrier must not count as before those that have not left this one.
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
