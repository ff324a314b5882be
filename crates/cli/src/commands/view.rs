//! `mpiscope view`: a run in the browser.

mod export;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use mpiscope_query::store_place;
use mpiscope_query::view::{State, Viewing};
use mpiscope_run::{Resolver, Run};
use mpiscope_server::Server;

use super::report::live;
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::say;

const AFTER_HELP: &str = "\
The address has a token: only who knows it can look. It is good until this command ends (^C).
On another machine (a login node), keep this running there and type here:
  ssh -N -L PORT:127.0.0.1:PORT THAT-MACHINE
then open the address in the browser here.

With --export nothing listens: a page for itself is written, to look at without mpiscope and to attach to a ticket:
  mpiscope view a.out.mpiscope --export page.html

Exit codes:
  0    ended by ^C; with --export: the page is there
  1    with --export: the page is there, but files of the run are damaged or missing
  2    the run cannot be shown, the page cannot be written, or a wrong option
  130  with --export: interrupted, nothing was written";

/// Look at a run in the browser: timeline, scatter plot, tables, findings
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The run: a directory such as a.out.mpiscope
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Another run, to be compared with it: RUN is before the change, OTHER after it
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,

    /// Where the store of RUN is or goes, if not into the run
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,

    /// Port of 127.0.0.1; any free one unless given
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Only print the address
    #[arg(long)]
    no_browser: bool,

    /// Write the run as one page for itself instead, - for stdout
    #[arg(long, value_name = "FILE", conflicts_with_all = ["other", "port", "no_browser"])]
    export: Option<PathBuf>,

    /// With --export: keep the single calls of this stretch, such as 1.2s..1300ms, and open the page with it; as a
    /// rule they are around what proves the most costly finding best
    #[arg(long, value_name = "FROM..TO", requires = "export")]
    window: Option<export::TimeWindow>,

    /// With --export: overwrite FILE
    #[arg(long, requires = "export")]
    force: bool,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    if let Some(to) = &args.export {
        let run = Run::open(&args.run, &live(&args.run)).map_err(anyhow::Error::from)?;
        let problems: Vec<_> = run.diagnostics.iter().filter(|problem| problem.damage).collect();
        for problem in &problems {
            let file = problem.file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
            say::warning(format_args!("{file}{}", problem.text));
        }
        let is_damaged = !problems.is_empty();
        let viewing = viewing(run, &args.run, args.store.clone());
        return export::main(viewing, to, args.window, args.force, is_damaged);
    }
    // clap lets this pass where something else cannot be together with --export.
    if args.window.is_some() || args.force {
        return Err(anyhow::anyhow!("--window and --force are for --export FILE").into());
    }
    let mut runs = vec![open(&args.run, args.store.clone())?];
    if let Some(other) = &args.other {
        runs.push(open(other, None)?);
    }
    let server = Server::bind(args.port)
        .with_context(|| format!("cannot listen on port {} of 127.0.0.1; choose another: --port", args.port))?;
    let url = server.url() + if runs.len() > 1 { "#page=compare" } else { "" };
    let noting = Noting::begin();
    let is_over = Arc::new(AtomicBool::new(false));
    let builder = std::thread::spawn({
        let (runs, is_over) = (runs.clone(), is_over.clone());
        move || runs.iter().for_each(|viewing| build(viewing, &is_over))
    });
    say::result(&format!("{url}\n")).context("cannot print the address")?;
    if args.no_browser || !has_display() {
        say::line("open this address in a browser; ^C ends it");
    } else if webbrowser::open(&url).is_err() {
        say::line("no browser could be started; open the address in one; ^C ends it");
    } else {
        say::line("opened in the browser; ^C ends it");
    }
    let served = server.serve(runs, || noting.is_interrupted());
    is_over.store(true, Ordering::Relaxed);
    let _ = builder.join();
    drop(noting);
    served.context("the server has ended")?;
    Ok(0)
}

fn open(path: &Path, store: Option<PathBuf>) -> Result<Arc<Viewing>, Failure> {
    let run = Run::open(path, &live(path)).map_err(anyhow::Error::from)?;
    Ok(viewing(run, path, store))
}

fn viewing(run: Run, path: &Path, store: Option<PathBuf>) -> Arc<Viewing> {
    Arc::new(Viewing::new(run, Resolver::default(), store.unwrap_or_else(|| store_place(path))))
}

/// Builds what is missing; says what goes wrong, which the page says, too.
fn build(viewing: &Viewing, is_over: &AtomicBool) {
    viewing.build(&|| !is_over.load(Ordering::Relaxed));
    let progress = viewing.progress();
    if let (State::Failed, Some(failure)) = (progress.state, progress.failure)
        && !is_over.load(Ordering::Relaxed)
    {
        say::warning(format_args!("{}: {}; {}", viewing.name(), failure.what, failure.next));
    }
}

/// Whether a browser has somewhere to appear. Text browsers would take over the terminal.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || is_set("BROWSER")) && std::io::stderr().is_terminal()
}
