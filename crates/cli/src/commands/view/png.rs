//! `mpiscope view RUN --png FILE`: the timeline as a picture, without a browser.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::anyhow;
use mpiscope_launch::options::RankSet;
use mpiscope_picture::{Theme, Wish};
use mpiscope_query::view::ViewSession;

use super::output::Output;
use super::window::Moments;
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::progress::Progress;
use crate::say;

const HEADING: &str = "A picture instead of the browser";
/// Limit of listed ranks.
const MOST_RANKS: u32 = 1 << 24;

#[derive(clap::Args)]
pub struct Args {
    /// Write the timeline as a PNG to FILE and exit; - for stdout
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub png: Option<PathBuf>,

    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x900", requires = "png", help_heading = HEADING)]
    size: Size,

    /// Only these ranks, such as 0-15,32
    #[arg(long, value_name = "LIST", requires = "png", help_heading = HEADING)]
    ranks: Option<RankSet>,

    /// What to draw in addition to calls, waits and messages: regions, path (the critical path), separated by commas
    #[arg(long, value_name = "LAYERS", value_delimiter = ',', requires = "png", help_heading = HEADING)]
    layers: Vec<Layer>,

    /// Use the dark theme
    #[arg(long, requires = "png", help_heading = HEADING)]
    dark: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Layer {
    /// Regions of the program, above the calls of a rank
    Regions,
    /// The critical path
    Path,
}

#[derive(Clone, Copy, Debug)]
struct Size(u32, u32);

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Size, String> {
        let wrong = || format!("invalid size '{text}'; write WIDTHxHEIGHT, such as 1600x900");
        let (width, height) = text.split_once('x').ok_or_else(wrong)?;
        Ok(Size(width.parse().map_err(|_| wrong())?, height.parse().map_err(|_| wrong())?))
    }
}

/// Draws the run and writes the picture.
pub fn main(
    args: &Args,
    to: &Output,
    window: Option<Moments>,
    may_replace: bool,
    viewing: &ViewSession,
) -> Result<i32, Failure> {
    to.check("picture", may_replace)?;
    let picture = draw(args, window, viewing)?;
    to.write(&picture, may_replace)?;
    if let Output::File(path) = to {
        say::line(format_args!("{}x{} pixels: {}", args.size.0, args.size.1, path.display()));
    }
    Ok(0)
}

fn draw(args: &Args, window: Option<Moments>, viewing: &ViewSession) -> anyhow::Result<Vec<u8>> {
    let noting = Noting::begin();
    let progress = std::sync::Mutex::new(Progress::new("reading the run"));
    viewing.build(&|| {
        let done = (viewing.progress().done * 1e6) as u64;
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(done, 1_000_000);
        }
        !noting.is_interrupted()
    });
    if let Ok(progress) = progress.into_inner() {
        progress.done();
    }
    if noting.is_interrupted() {
        return Err(anyhow!("interrupted; no picture was written"));
    }
    if let Some(failure) = viewing.progress().failure {
        return Err(anyhow!("{}; {}", failure.what, failure.next));
    }
    let scene = viewing.scene()?;
    let (from_ns, until_ns) = window.map_or((None, None), |window| (window.from_ns, window.until_ns));
    let listed = |set: &RankSet| -> Vec<i32> {
        set.stretches().flat_map(|(first, last)| first..=last.min(MOST_RANKS)).map(|rank| rank as i32).collect()
    };
    let wish = Wish {
        width: args.size.0,
        height: args.size.1,
        theme: if args.dark { Theme::Dark } else { Theme::Light },
        from_ns,
        until_ns,
        ranks: args.ranks.as_ref().map(listed),
        has_regions: args.layers.contains(&Layer::Regions),
        has_path: args.layers.contains(&Layer::Path),
    };
    Ok(mpiscope_picture::draw(&scene, &viewing.info(), &wish)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let size: Size = "800x400".parse().unwrap();
        assert_eq!((size.0, size.1), (800, 400));
        for wrong in ["800", "x", "800x", "-1x5", "800x400x2"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
