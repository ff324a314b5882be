//! What a run would be under a change.
//!
//! # Design constraints
//!
//! * Pure: rows of a run and a network in, answers out. No files, no clock, no printing.
//! * Trust first: before the model answers, it replays the run as it was ([`Reproduction`]). No answer has an interval narrower than
//!   the error of this replay.
//! * What the model does not know, it replays as it was recorded, and says how much that is.
//!
//! ```text
//! rows ─► Translator ─► program ─┐
//!   └───► Fit ────────► network ─┼─► simulation ─► Reproduction, Answer
//!                       changes ─┘
//! ```

mod advice;
mod answer;
mod apply;
mod candidates;
mod change;
mod fit;
mod kinds;
mod samples;
mod translate;

pub use answer::{Answer, Model, Reproduction, Row, waiting_name};
pub use apply::{ApplyError, Run};
pub use candidates::candidates;
pub use change::{Change, ChangeError, Place, parse};
pub use fit::{Fit, Ports};
pub use kinds::Kinds;
pub use translate::{Recorded, Translator};
