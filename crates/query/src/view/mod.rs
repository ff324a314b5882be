//! Requests about windows of a run, as the viewer sends them.
//!
//! A [`Scene`] is a run with its store and preview, opened once. Every request is a function of it and of its
//! parameters only, can be cancelled at any time ([`Cancel`]), and is answered in columns. `docs/viewer/protocol.md` defines
//! their meaning.

mod apart;
mod axis;
mod bundles;
mod call;
mod cells;
mod class;
mod curves;
mod difference;
mod edges;
mod error;
mod events;
mod fields;
mod filter;
mod ground;
mod grouping;
mod groups;
mod histogram;
mod kept;
mod letters;
mod matrix;
mod moment;
mod order;
mod overview;
mod path;
mod path_groups;
mod quick;
mod reading;
mod scatter;
mod scene;
mod search;
mod spread;
mod step;
#[cfg(test)]
mod tests;
mod tree;
mod viewing;

pub use apart::{Apart, ApartWish, apart};
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
pub use moment::{AtRank, Lifetime, Load, MessageSide, Moment, Stage, lifetimes, moment};
pub use mpiscope_pyramid::{Layer, Sent};
pub use order::{Order, OrderGroup, OrderSpec, SortedBy, ranks};
pub use overview::{FunctionInfo, Iterations, RunInfo};
pub use path::{OnPath, path};
pub use path_groups::{Doing, PathGroup, PathGroups, Stretch, path_groups};
pub use reading::{Basis, Care};
pub use scatter::{Density, Fit, Form, Points, Scatter, ScatterWish, scatter};
pub use scene::Scene;
pub use search::{Match, Matches, find, matches};
pub use step::{By, Place, step};
pub use tree::{Tree, TreeNode, TreeWish, tree};
pub use viewing::{FailureInfo, FilesInfo, ProgressInfo, State, Viewing};
