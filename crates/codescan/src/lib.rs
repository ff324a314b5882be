//! Places in machine code: where recording goes on or pauses, and what the code around a call does.
//!
//! A place is patched: its first instructions, at least five bytes of them, give way to a jump to a stub, which
//! changes the control word, executes what it has displaced, and jumps back. Why a jump and no breakpoint:
//! `docs/decisions/0010-places.md`.
//!
//! # Design constraints
//!
//! * Everything here is a function of bytes: no file is opened and no memory is patched. `mpiscope run` asks
//!   [`displaced`] before the program starts, with the whole section at hand; the collector only copies what was
//!   found sound ([`mod@stub`]), after it has made sure that the code in memory is the same ([`sum`]).
//! * What is not known to be safe is refused. A place that is refused costs its user a word, one that is wrong
//!   the program.

mod data_dependence;
mod fit;
mod load;
mod next_accesses;
mod poll_loop;
mod result;
mod spot;
mod stub;
mod tail;

pub use data_dependence::{Question, ReportedCall, goes_on_alike};
pub use fit::{Refusal, Targets, Text, displaced, nearest};
pub use load::touched;
pub use next_accesses::{Ahead, Elsewhere, Start, touches_ahead};
pub use poll_loop::{Callee, Calls, asks_for_ever, through_slot};
pub use result::drops_result;
pub use spot::{Asked, Places, Spot, sum};
pub use stub::{MARK_BYTES, MOST_BYTES, Switch, ends_in_call, jump_to, stub};
pub use tail::{called, left_for};

/// Bytes of `jmp rel32`, the least that is displaced.
pub const JUMP_BYTES: usize = 5;
