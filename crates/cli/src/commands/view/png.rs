//! `mpiscope view RUN --png FILE`: the timeline without a browser.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, anyhow};
use mpiscope_launch::options::RankSet;
use mpiscope_picture::{Theme, Wish};
use mpiscope_query::view::Viewing;

use super::window::Moments;
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::progress::Progress;
use crate::say;

const HEADING: &str = "A picture instead of the browser";
/// Ranks beyond these are no slip of the finger that could be listed.
const MOST_RANKS: u32 = 1 << 24;

#[derive(clap::Args)]
pub struct Args {
    /// Write the timeline as a PNG to FILE ('-' for standard output) and end
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub png: Option<PathBuf>,

    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1600x900", requires = "png", help_heading = HEADING)]
    size: Size,

    /// Only this time, such as 1.2ms..3ms or 2s.. (s, ms, us, ns since the beginning of the run)
    #[arg(long, value_name = "FROM..TO", requires = "png", help_heading = HEADING)]
    window: Option<Moments>,

    /// Only these ranks, such as 0-15,32
    #[arg(long, value_name = "LIST", requires = "png", help_heading = HEADING)]
    ranks: Option<RankSet>,

    /// Light on dark
    #[arg(long, requires = "png", help_heading = HEADING)]
    dark: bool,

    /// Replace FILE if it exists
    #[arg(long, requires = "png", help_heading = HEADING)]
    force: bool,
}

#[derive(Clone, Copy, Debug)]
struct Size(u32, u32);

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Size, String> {
        let wrong = || format!("'{text}' is no size; write 1600x900");
        let (width, height) = text.split_once('x').ok_or_else(wrong)?;
        Ok(Size(width.parse().map_err(|_| wrong())?, height.parse().map_err(|_| wrong())?))
    }
}

/// Draws the run and writes the picture to `file`.
pub fn main(args: &Args, file: &Path, viewing: &Viewing) -> Result<i32, Failure> {
    let is_stdout = file == Path::new("-");
    if !is_stdout && !args.force && file.exists() {
        return Err(anyhow!("{} exists; --force replaces it", file.display()).into());
    }
    let picture = draw(args, viewing)?;
    if is_stdout {
        let mut out = std::io::stdout().lock();
        match out.write_all(&picture).and_then(|()| out.flush()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            other => other.context("cannot write the picture")?,
        }
    } else {
        write(file, &picture, args.force).with_context(|| format!("cannot write {}", file.display()))?;
        say::line(format_args!("{}x{} pixels: {}", args.size.0, args.size.1, file.display()));
    }
    Ok(0)
}

/// All of it or nothing: half a picture looks like a whole one to a script.
fn write(file: &Path, picture: &[u8], may_replace: bool) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = file.file_name().ok_or_else(|| anyhow!("it has no name"))?;
    let beside = folder.join(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
    let written = std::fs::write(&beside, picture).and_then(|()| match may_replace {
        true => std::fs::rename(&beside, file),
        // Fails where something has come to be there meanwhile.
        false => std::fs::hard_link(&beside, file).or_else(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Err(error),
            // A file system without links.
            _ => std::fs::rename(&beside, file),
        }),
    });
    let _ = std::fs::remove_file(&beside);
    Ok(written?)
}

fn draw(args: &Args, viewing: &Viewing) -> anyhow::Result<Vec<u8>> {
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
    let (from_ns, until_ns) = args.window.map_or((None, None), |window| (window.from_ns, window.until_ns));
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
    };
    Ok(mpiscope_picture::draw(&scene, &viewing.info(), &wish)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_only_when_that_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.png");
        write(&file, b"first", false).unwrap();
        assert!(write(&file, b"second", false).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"first");
        write(&file, b"third", true).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"third");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn sizes() {
        let size: Size = "800x400".parse().unwrap();
        assert_eq!((size.0, size.1), (800, 400));
        for wrong in ["800", "x", "800x", "-1x5", "800x400x2"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
