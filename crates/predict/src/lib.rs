//! What a run would be under a change.
//!
//! # Design constraints
//!
//! * Pure: rows of a run and a network in, answers out. No files, no clock, no printing.
//! * Trust first: before the model answers, it replays the run as it was ([`Reproduction`]). No answer has an interval narrower than
//!   the error of this replay.
//! * What the model has no data about is replayed as it was recorded; the output states how much that is.
//!
//! ```text
//! rows ─► Translator ─► program ─┐
//!   └───► Fit ────────► network ─┼─► simulation ─► Reproduction, Answer
//!                       changes ─┘
//! ```

mod advice;
mod answer;
mod apply;
mod bursts;
mod candidates;
mod change;
mod fit;
mod gaps;
mod hindrance;
mod joined;
mod kinds;
mod operation;
mod others;
mod placement;
mod points;
mod pools;
mod queued;
mod samples;
mod schedule;
mod sections;
mod sharing;
mod spread;
mod stays;
mod suggested;
#[cfg(test)]
mod tests;
mod translate;
mod usual;

pub use answer::{Answer, Model, Reproduction, Row, order};
pub use apply::{ApplyError, Run};
pub use bursts::Turn;
pub use candidates::candidates;
pub use change::{Change, ChangeError, Machine, Place, parse};
pub use fit::Fit;
pub use hindrance::{Hindrance, closest};
pub use joined::{Carries, End};
pub use kinds::data_of_function;
pub use placement::{Distances, Far, Known, Order, Placement, Places, unknown_costs};
pub use schedule::{Becomes, Happens, Schedule, What};
pub use sharing::Traffic;
pub use suggested::{is_advised, suggested};
pub use translate::{Recorded, Translator};
