//! `mpiscope view RUN --export FILE`: the run as a page for itself.

use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use mpiscope_query::view::{Cancel, State, ViewError, Viewing};
use mpiscope_server::{ExportWish, Exported, export};

use crate::commands::report::{style::Style, units};
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::progress::Progress;
use crate::say;

/// How often it is looked whether it was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// A stretch of time since the origin of the run: `1.2s..1300ms`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeWindow {
    pub from_ns: u64,
    pub until_ns: u64,
}

impl FromStr for TimeWindow {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeWindow, String> {
        let (from, until) = text.split_once("..").ok_or("two moments with '..' between them, such as 1.2s..1300ms")?;
        let (from_ns, until_ns) = (moment_ns(from)?, moment_ns(until)?);
        if from_ns >= until_ns {
            return Err(format!("{from} is not before {until}"));
        }
        Ok(TimeWindow { from_ns, until_ns })
    }
}

fn moment_ns(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let at = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let scale = match unit.trim() {
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        _ => return Err(format!("'{text}' is no moment; write a number with ns, us, ms, s or min")),
    };
    let value: f64 = digits.parse().map_err(|_| format!("'{digits}' in '{text}' is not a number"))?;
    Ok((value * scale).round() as u64)
}

/// Where the page goes.
enum Place<'a> {
    Stdout,
    File(&'a Path),
}

/// Makes the page and writes it. `is_damaged`: files of the run are damaged or missing.
pub fn main(
    viewing: Arc<Viewing>,
    to: &Path,
    window: Option<TimeWindow>,
    force: bool,
    is_damaged: bool,
) -> Result<i32, Failure> {
    let place = if to == Path::new("-") { Place::Stdout } else { Place::File(to) };
    check(&place, force)?;
    let noting = Noting::begin();
    let made = make(&viewing, window, &noting);
    drop(noting);
    let Some(made) = made? else {
        say::line("interrupted; nothing was written");
        return Ok(130);
    };
    write(&place, &made.html, force)?;
    tell(&place, &viewing, &made, window);
    Ok(is_damaged.into())
}

/// Before any work: whether it could be written.
fn check(place: &Place<'_>, force: bool) -> anyhow::Result<()> {
    match place {
        Place::Stdout if std::io::stdout().is_terminal() => {
            bail!("the page would be written to the terminal; redirect it, or name a file: --export page.html")
        }
        Place::File(path) if path.is_dir() => bail!("{} is a directory; name a file", path.display()),
        Place::File(path) if path.exists() && !force => bail!("{} is there; --force overwrites it", path.display()),
        Place::File(path) => {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() {
                bail!("there is no directory {}", folder.display());
            }
            Ok(())
        }
        Place::Stdout => Ok(()),
    }
}

/// Builds what is missing, then the page; nothing where it was interrupted.
fn make(viewing: &Arc<Viewing>, window: Option<TimeWindow>, noting: &Noting) -> anyhow::Result<Option<Exported>> {
    let go_on = Arc::new(AtomicBool::new(true));
    let cancel = Cancel::default();
    let worker = std::thread::spawn({
        let (viewing, go_on, cancel) = (viewing.clone(), go_on.clone(), cancel.clone());
        move || {
            viewing.build(&|| go_on.load(Ordering::Relaxed));
            let progress = viewing.progress();
            if let (State::Failed, Some(failure)) = (progress.state, progress.failure) {
                return Err(anyhow!("{}; {}", failure.what, failure.next));
            }
            let wish = ExportWish { window_ns: window.map(|w| (w.from_ns, w.until_ns)), view: view_of(window) };
            export(&viewing, &wish, &cancel).map_err(|why| match why {
                ViewError::NotYet => anyhow!("the run could not be explained; mpiscope report RUN says more"),
                other => anyhow!(other),
            })
        }
    });
    let mut progress = Progress::new("reading the run");
    while !worker.is_finished() {
        std::thread::sleep(LOOK);
        if noting.is_interrupted() {
            go_on.store(false, Ordering::Relaxed);
            cancel.cancel();
        }
        progress.at((viewing.progress().done * 1e6) as u64, 1_000_000);
    }
    progress.done();
    let made =
        worker.join().unwrap_or_else(|_| Err(anyhow!("the page cannot be made because of a defect in mpiscope")));
    if noting.is_interrupted() {
        return Ok(None);
    }
    made.map(Some)
}

/// A window that someone has asked for is what the page opens with.
fn view_of(window: Option<TimeWindow>) -> String {
    window.map_or_else(String::new, |w| format!("page=views&t={}~{}", w.from_ns, w.until_ns))
}

fn write(place: &Place<'_>, html: &[u8], force: bool) -> anyhow::Result<()> {
    match place {
        Place::Stdout => {
            let text = std::str::from_utf8(html).context("the page is no text")?;
            say::result(text).context("cannot write the page")
        }
        Place::File(path) if force => {
            // Beside it first: what was there stays until the new one is whole.
            let mut beside = path.as_os_str().to_owned();
            beside.push(format!(".{}.tmp", std::process::id()));
            let beside = PathBuf::from(beside);
            let done = File::create(&beside)
                .and_then(|mut file| file.write_all(html).and_then(|()| file.sync_all()))
                .and_then(|()| std::fs::rename(&beside, path));
            if done.is_err() {
                let _ = std::fs::remove_file(&beside);
            }
            done.with_context(|| format!("cannot write {}", path.display()))
        }
        Place::File(path) => {
            let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
                Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => {
                    bail!("{} is there; --force overwrites it", path.display())
                }
                opened => opened.with_context(|| format!("cannot write {}", path.display()))?,
            };
            if let Err(why) = file.write_all(html) {
                let _ = std::fs::remove_file(path);
                return Err(why).with_context(|| format!("cannot write {}", path.display()));
            }
            Ok(())
        }
    }
}

fn tell(place: &Place<'_>, viewing: &Viewing, made: &Exported, window: Option<TimeWindow>) {
    let style = Style::new(80, |key| std::env::var(key).ok());
    let time = |ns: u64| units::time(ns, style);
    let name = match place {
        Place::Stdout => viewing.name().to_owned(),
        Place::File(path) => path.display().to_string(),
    };
    say::line(format_args!(
        "{name}: {}; the whole timeline in steps of {}, {} single calls from {} to {}",
        units::bytes(made.html.len() as u64),
        time(made.bin_ns),
        units::exact(made.calls),
        time(made.window_ns.0),
        time(made.window_ns.1),
    ));
    if let Some(wanted) = window
        && (made.window_ns.0 > wanted.from_ns || made.window_ns.1 < wanted.until_ns.min(viewing.info().until_ns))
    {
        say::more("the window has more calls than a page takes; these are around its middle");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows() {
        let of = |text: &str| text.parse::<TimeWindow>();
        assert_eq!(of("1.2s..1300ms"), Ok(TimeWindow { from_ns: 1_200_000_000, until_ns: 1_300_000_000 }));
        assert_eq!(of("0ns..2min"), Ok(TimeWindow { from_ns: 0, until_ns: 120_000_000_000 }));
        assert_eq!(of("5us..7µs"), Ok(TimeWindow { from_ns: 5_000, until_ns: 7_000 }));
        for wrong in ["1s", "2s..1s", "1s..1s", "1..2", "a..b", "-1s..1s", "1.2.3s..4s", "..", "1e3s..2e3s"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
