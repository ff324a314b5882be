//! `mpiscope view RUN --export FILE`: the run as a self-contained page.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use mpiscope_query::view::{Cancel, State, ViewError, ViewSession};
use mpiscope_server::{ExportWish, Exported, export};

use super::output::Output;
use super::window::Moments;
use crate::commands::report::{style::Style, units};
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::progress::Progress;
use crate::say;

/// Interval of checking for interruption.
const LOOK: Duration = Duration::from_millis(50);

/// Makes the page and writes it. `is_damaged`: files of the run are damaged or missing.
pub fn main(
    viewing: Arc<ViewSession>,
    to: &Output,
    window: Option<Moments>,
    may_replace: bool,
    is_damaged: bool,
) -> Result<i32, Failure> {
    to.check("page", may_replace)?;
    let noting = Noting::begin();
    let window = window.map(|window| ends(window, &viewing));
    let made = make(&viewing, window, &noting);
    drop(noting);
    let Some(made) = made? else {
        say::line("interrupted; nothing was written");
        return Ok(130);
    };
    to.write(&made.html, may_replace)?;
    print_summary(to, &viewing, &made, window);
    Ok((is_damaged || viewing.info().unreadable.is_some()).into())
}

/// Start and end in ns; open ends are those of the run.
type Window = (u64, u64);

fn ends(window: Moments, viewing: &ViewSession) -> Window {
    let info = viewing.info();
    (window.from_ns.unwrap_or(info.from_ns), window.until_ns.unwrap_or(info.until_ns))
}

/// Builds what is missing, then the page; `None` if interrupted.
fn make(viewing: &Arc<ViewSession>, window: Option<Window>, noting: &Noting) -> anyhow::Result<Option<Exported>> {
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
            let wish = ExportWish { window_ns: window, view: view_of(window) };
            export(&viewing, &wish, &cancel).map_err(|why| match why {
                ViewError::NotYet => anyhow!("the run could not be explained; for the reason see mpiscope report RUN"),
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
    let made = worker.join().unwrap_or_else(|_| Err(anyhow!("cannot create the page because of a defect in mpiscope")));
    if noting.is_interrupted() {
        return Ok(None);
    }
    made.map(Some)
}

/// The page opens with a requested window.
fn view_of(window: Option<Window>) -> String {
    window.map_or_else(String::new, |(from, until)| format!("page=views&t={from}~{until}"))
}

fn print_summary(to: &Output, viewing: &ViewSession, made: &Exported, window: Option<Window>) {
    let style = Style::new(80, |key| std::env::var(key).ok());
    let time = |ns: u64| units::time(ns, style);
    let name = match to {
        Output::Stdout => viewing.name(),
        Output::File(path) => path.display().to_string(),
    };
    say::line(format_args!(
        "{name}: {}; the whole timeline in steps of {}, {} individual calls from {} to {}",
        units::bytes(made.html.len() as u64),
        time(made.bin_ns),
        units::exact(made.calls),
        time(made.window_ns.0),
        time(made.window_ns.1),
    ));
    if let Some((from, until)) = window
        && (made.window_ns.0 > from || made.window_ns.1 < until.min(viewing.info().until_ns))
    {
        say::more("the window has more calls than a page can hold; the page has those around its middle");
    }
}
