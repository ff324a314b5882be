//! The timeline of a run as a picture, without a browser: the output of `mpiscope view --png`.
//!
//! It uses the queries of the page ([`mpiscope_query::view`]) and draws the answers the same way. The same run, options and version give
//! the same bytes on every machine: integers wherever pixels are decided, a built-in font, no SIMD.

mod canvas;
mod palette;
mod raster;
mod regions;
mod sight;
mod text;
mod timeline;

pub use palette::{Colours, Theme};
pub use timeline::draw;

/// Options of a picture.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Pixels, from [`LEAST`] to [`MOST`].
    pub width: u32,
    /// Pixels, as `width`.
    pub height: u32,
    /// The background.
    pub theme: Theme,
    /// ns since the origin of the run; `None` for all of it.
    pub from_ns: Option<u64>,
    /// As `from_ns`.
    pub until_ns: Option<u64>,
    /// Rank numbers in MPI_COMM_WORLD; all if `None`.
    pub ranks: Option<Vec<i32>>,
    /// Regions of the program, as bands above the calls of a rank.
    pub has_regions: bool,
    /// The critical path, over everything else.
    pub has_path: bool,
}

/// Below this there is no room for a plot beside the legend.
pub const LEAST: (u32, u32) = (400, 200);
/// Most pixels per side.
pub const MOST: u32 = 16_384;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// Too small or too large.
    #[error("a picture cannot have {0}x{1} pixels: it needs at least {min_w}x{min_h} and at most {MOST} per side", min_w = LEAST.0, min_h = LEAST.1)]
    Size(u32, u32),
    /// Nothing in the window.
    #[error("the window {from}..{until} is empty or outside the run, which lasts {whole}")]
    Window {
        /// Start, with its unit.
        from: String,
        /// End, with its unit.
        until: String,
        /// Duration of the run, with its unit.
        whole: String,
    },
    /// The run has none of the ranks.
    #[error("the run has none of the ranks {0}")]
    Ranks(String),
    /// A query of the run failed.
    #[error(transparent)]
    View(#[from] mpiscope_query::view::ViewError),
    /// A defect of mpiscope.
    #[error("the built-in font cannot be read: {0}")]
    Font(String),
    /// A defect of mpiscope.
    #[error("the picture cannot be written: {0}")]
    Png(#[from] png::EncodingError),
}
