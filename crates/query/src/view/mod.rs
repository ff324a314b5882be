//! Requests about windows of a run, as the viewer sends them.
//!
//! An [`OpenedRun`] is a run with its store and preview, opened once. Every request is a function of it and of its
//! parameters only, can be cancelled at any time ([`Cancel`]), and is answered in columns. `docs/viewer/protocol.md` defines
//! their meaning.

mod axis;
mod bin_edges;
mod bundles;
mod call;
mod cell_cache;
mod cells;
mod class;
mod curves;
mod difference;
mod error;
mod events;
mod fields;
mod filter;
mod grouping;
mod groups;
mod histogram;
mod matrix;
mod message_fields;
mod opened_run;
mod order;
mod outlier_ranks;
mod overview;
mod path;
mod path_groups;
mod preview_answers;
mod reading;
mod run_context;
mod scatter;
mod search;
mod session;
mod spread;
mod state_at;
mod step;
#[cfg(test)]
mod tests;
mod tree;

pub use axis::{Axis, Wish};
pub use bundles::{Bundle, Bundles, BundlesWish, bundles};
pub use call::{CallInfo, call};
pub use cells::{CellRow, Cells, CellsWish, Grid, WAITING, cells, of_preview};
pub use class::Class;
pub use curves::{Curve, Curves, CurvesWish, curves};
pub use difference::{DifferenceRow, Differences, PerIteration, Side, Sums, differences};
pub use error::{Cancel, ViewError};
pub use events::{Operations, calls, collectives, messages, region_begin, regions, waits};
pub use fields::{Field, FieldInfo, Of, moves_data};
pub use filter::Filter;
pub use grouping::{GridInfo, NetworkInfo};
pub use groups::{GroupRow, Groups, GroupsWish, Sort, groups};
pub use histogram::{Histogram, HistogramWish, histogram};
pub use matrix::{Blocks, Matrix, matrix};
pub use mpiscope_pyramid::{Layer, Sent};
pub use opened_run::OpenedRun;
pub use order::{Order, OrderGroup, OrderSpec, SortedBy, ranks};
pub use outlier_ranks::{Apart, ApartWish, apart};
pub use overview::{FunctionInfo, Iterations, RunInfo};
pub use path::{OnPath, path};
pub use path_groups::{Doing, PathGroup, PathGroups, PathStretch, path_groups};
pub use reading::{Basis, Care};
pub use scatter::{Density, Fit, Form, Points, Scatter, ScatterWish, scatter};
pub use search::{Match, Matches, find, matches};
pub use session::{FailureInfo, FilesInfo, ProgressInfo, State, ViewSession};
pub use state_at::{AtRank, Lifetime, Load, MessageSide, Moment, Stage, lifetimes, moment};
pub use step::{By, CallAt, step};
pub use tree::{Tree, TreeNode, TreeWish, tree};
