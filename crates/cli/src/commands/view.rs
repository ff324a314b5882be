//! `mpiscope view`: a run in the browser.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::Context;
use mpiscope_query::store_place;
use mpiscope_query::view::{State, Viewing};
use mpiscope_run::{Resolver, Run};
use mpiscope_server::Server;
use mpiscope_server::launch::{Launch, Secret};

mod follow;
mod launch;
mod png;
mod window;

use super::report::live;
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::say;

const AFTER_HELP: &str = "\
The address has a token: only who knows it can look. It is good until this command ends (^C).
On another machine (a login node), keep this running there and type here:
  ssh -N -L PORT:127.0.0.1:PORT THAT-MACHINE
then open the address in the browser here.

Exit codes:
  0    ended by ^C
  2    the run cannot be shown, or a wrong option";

/// Look at a run in the browser: timeline, scatter plot, tables, findings
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The run: a directory such as a.out.mpiscope
    #[arg(value_name = "RUN", required_unless_present = "launch")]
    run: Option<PathBuf>,

    /// Where its store is or goes, if not into the run
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,

    /// Port of 127.0.0.1; any free one unless given
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Only print the address
    #[arg(long)]
    no_browser: bool,

    /// Let the page start programs: with a code that only this terminal shows, and nothing else than what is confirmed
    #[arg(long, conflicts_with = "png")]
    launch: bool,

    #[command(flatten)]
    picture: png::Args,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let viewing = args.run.as_deref().map(|run| open(&args, run)).transpose()?;
    if let (Some(file), Some(viewing)) = (&args.picture.png, &viewing) {
        return png::main(&args.picture, file, viewing);
    }
    let server = Server::bind(args.port)
        .with_context(|| format!("cannot listen on port {} of 127.0.0.1; choose another: --port", args.port))?;
    let url = server.url();
    let noting = Noting::begin();
    let is_over = Arc::new(AtomicBool::new(false));
    let place = args.run.as_deref().map(|run| (run.to_owned(), store_of(&args, run)));
    let builder = viewing.clone().zip(place).map(|(viewing, place)| build(viewing, place, is_over.clone()));
    let launches = args.launch.then(|| Arc::new(launch::Launches::new(is_over.clone())));
    let secret = args.launch.then(Secret::new).transpose().context("no random numbers")?;
    say::result(&format!("{url}\n")).context("cannot print the address")?;
    if let Some(secret) = &secret {
        say::line(format_args!("code for starting programs from the page: {}", secret.text()));
    }
    if args.no_browser || !has_display() {
        say::line("open this address in a browser; ^C ends it");
    } else if webbrowser::open(&url).is_err() {
        say::line("no browser could be started; open the address in one; ^C ends it");
    } else {
        say::line("opened in the browser; ^C ends it");
    }
    let launch = launches.clone().zip(secret).map(|(launches, secret)| (launches as Arc<dyn Launch>, secret));
    let served = server.serve(viewing, launch, || noting.is_interrupted());
    is_over.store(true, Ordering::Relaxed);
    if let Some(launches) = launches {
        launches.end();
    }
    if let Some(builder) = builder {
        let _ = builder.join();
    }
    drop(noting);
    served.context("the server has ended")?;
    Ok(0)
}

/// The run, with its store where that was asked for.
fn open(args: &Args, path: &Path) -> anyhow::Result<Arc<Viewing>> {
    let run = Run::open(path, &live(path))?;
    Ok(Arc::new(Viewing::new(run, Resolver::default(), store_of(args, path))))
}

fn store_of(args: &Args, run: &Path) -> PathBuf {
    args.store.clone().unwrap_or_else(|| store_place(run))
}

/// Builds what is missing, beside the server, and follows a run that still grows.
fn build(viewing: Arc<Viewing>, (run, store): (PathBuf, PathBuf), is_over: Arc<AtomicBool>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        viewing.build(&|| !is_over.load(Ordering::Relaxed));
        let progress = viewing.progress();
        if let (State::Failed, Some(failure)) = (progress.state, progress.failure)
            && !is_over.load(Ordering::Relaxed)
        {
            say::warning(format_args!("{}; {}", failure.what, failure.next));
        }
        follow::follow(&viewing, &run, &store, &is_over);
    })
}

/// Whether a browser has somewhere to appear. Text browsers would take over the terminal.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || is_set("BROWSER")) && std::io::stderr().is_terminal()
}
