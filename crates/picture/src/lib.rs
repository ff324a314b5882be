//! The timeline of a run as a picture, without a browser: what `mpiscope view --png` writes.
//!
//! It asks what the page asks ([`mpiscope_query::view`]) and draws it the same way. The same run, wish and version give
//! the same bytes on every machine: whole numbers where pixels are decided, a font of its own, no SIMD.

mod canvas;
mod palette;
mod raster;
mod regions;
mod sight;
mod text;
mod timeline;

pub use palette::{Colours, Theme};
pub use timeline::draw;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Wish {
    pub width: u32,
    pub height: u32,
    pub theme: Theme,
    /// ns since the origin of the run; all of it where nothing is said.
    pub from_ns: Option<u64>,
    pub until_ns: Option<u64>,
    /// Ranks as the program knows them; all if `None`.
    pub ranks: Option<Vec<i32>>,
    /// Regions of the program, as bands above the calls of a rank.
    pub has_regions: bool,
    /// The critical path, over everything else.
    pub has_path: bool,
}

/// Below this there is no room for a plot beside the legend.
pub const LEAST: (u32, u32) = (400, 200);
/// A side has at most so many pixels.
pub const MOST: u32 = 16_384;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// Too small or too large.
    #[error("a picture cannot have {0}x{1} pixels: it needs at least {min_w}x{min_h} and at most {MOST} per side", min_w = LEAST.0, min_h = LEAST.1)]
    Size(u32, u32),
    /// Nothing in the window.
    #[error("the window {from}..{until} is empty or outside the run, which lasts {whole}")]
    Window { from: String, until: String, whole: String },
    /// None of the ranks is there.
    #[error("the run has none of the ranks {0}")]
    Ranks(String),
    /// The run cannot be asked.
    #[error(transparent)]
    View(#[from] mpiscope_query::view::ViewError),
    /// A defect of ours.
    #[error("the built-in font cannot be read: {0}")]
    Font(String),
    /// A defect of ours.
    #[error("the picture cannot be written: {0}")]
    Png(#[from] png::EncodingError),
}
