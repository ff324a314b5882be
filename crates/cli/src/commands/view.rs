//! `mpiscope view`: shows a run or a machine profile in the browser.

mod export;
mod follow;
mod launch;
mod machine;
mod output;
mod png;
mod window;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use mpiscope_query::store_place;
use mpiscope_query::view::{FailureInfo, State, ViewSession};
use mpiscope_run::topology::Topology;
use mpiscope_run::{Resolver, Run, RunHeader};
use mpiscope_server::launch::{Launch, Secret};
use mpiscope_server::{Links, Server};

use self::output::Output;
use self::window::Moments;
use super::report::live;
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::memory::give_back;
use crate::say;

const AFTER_HELP: &str = "\
The address contains a token: only people who have it can view the run. It is valid until this command ends (^C), and
again with the next `mpiscope view RUN`: RUN/view.address keeps it, readable only by the owner. Remove that file to get
a new address.
If this command runs on another machine (a login node), type on your own machine:
  ssh -N -L PORT:127.0.0.1:PORT THAT-MACHINE
then open the address in your browser.

--export starts no server: it writes a self-contained page, to view without mpiscope or to attach to a ticket:
  mpiscope view a.out.mpiscope --export page.html

RUN can also be a machine profile (mpiscope bench): curves, pairs of ranks, memory, roofline. With two, their curves are
drawn over each other:
  mpiscope view before.machine after.machine

Exit codes:
  0    ended by ^C; with --export or --png: the file was written
  1    with --export or --png: the file was written, but files of the run are damaged or missing
  2    the run or profile cannot be shown, the file cannot be written, or an invalid option
  130  with --export: interrupted, nothing was written (with --png: 2)";

/// View a run in the browser: timeline, scatter plots, tables, findings; or a machine profile
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The run: a directory such as a.out.mpiscope; or a machine profile, such as HOST.machine
    #[arg(value_name = "RUN", required_unless_present = "launch")]
    run: Option<PathBuf>,

    /// Another run (or profile) to compare with: RUN is before the change, OTHER after it
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,

    /// Directory of the store of RUN [default: in RUN]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,

    /// Also fold ranks by the nodes and switches of the network that FILE describes (docs/topology.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["png", "launch"])]
    topology: Option<PathBuf>,

    /// Port of 127.0.0.1; 0: the port of the last time if it is free, otherwise any free port
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Print the address, but do not open a browser
    #[arg(long)]
    no_browser: bool,

    /// Let the page start programs; needs a code that this terminal shows, and confirmation of each command
    #[arg(long, conflicts_with_all = ["png", "export"])]
    launch: bool,

    /// Write the run as a self-contained page instead; - for stdout
    #[arg(long, value_name = "FILE", conflicts_with_all = ["other", "port", "no_browser", "png"])]
    export: Option<PathBuf>,

    /// With --png or --export: only this interval, such as 1.2ms..3ms or 2s.. (s, ms, us, ns since the start of the
    /// run). A page has individual calls only of this interval; the default is around the best evidence of the
    /// costliest finding
    #[arg(long, value_name = "FROM..TO")]
    window: Option<Moments>,

    /// With --png or --export: replace FILE if it exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    picture: png::Args,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    if machine::is_meant(&args) {
        return machine::main(&args);
    }
    let to = args.export.as_deref().or(args.picture.png.as_deref()).map(Output::new);
    match (to, &args.run) {
        (Some(to), Some(path)) => write(&args, path, &to),
        (None, _) if args.window.is_some() || args.force => {
            Err(anyhow!("--window and --force require --png FILE or --export FILE").into())
        }
        _ => serve(&args),
    }
}

/// Writes a picture or a self-contained page instead of starting the server.
fn write(args: &Args, path: &Path, to: &Output) -> Result<i32, Failure> {
    let run = Run::open(path, &live(path)).map_err(anyhow::Error::from)?;
    let problems: Vec<_> = run.diagnostics.iter().filter(|problem| problem.damage).collect();
    for problem in &problems {
        let file = problem.file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
        say::warning(format_args!("{file}{}", problem.text));
    }
    let is_damaged = !problems.is_empty();
    let viewing = Arc::new(
        ViewSession::new(run, Resolver::default(), store_of(path, args.store.as_deref())).with_network(network(args)?),
    );
    match &args.export {
        Some(_) => export::main(viewing, to, args.window, args.force, is_damaged),
        None => png::main(&args.picture, to, args.window, args.force, &viewing).map(|code| code.max(is_damaged.into())),
    }
}

/// A run with few files is read completely in this time: then its errors are printed here, and its first page is complete.
const PATIENCE: Duration = Duration::from_millis(100);
/// A run with more files takes longer.
const MANY_FILES: usize = 1000;

fn serve(args: &Args) -> Result<i32, Failure> {
    let network = network(args)?;
    let mut runs = Vec::new();
    for (path, store) in [(&args.run, args.store.as_deref()), (&args.other, None)] {
        if let Some(path) = path {
            runs.push(Opened::new(path, store, network.clone())?);
        }
    }
    let links = links(args)?;
    let server = bind(args, links)?;
    let url = server.url() + if runs.len() > 1 { "#page=compare" } else { "" };
    let noting = Noting::begin();
    let is_over = Arc::new(AtomicBool::new(false));
    let launches = args.launch.then(|| Arc::new(launch::Launches::new(is_over.clone())));
    let secret = args.launch.then(Secret::new).transpose().context("cannot get random numbers")?;
    let viewings: Vec<_> = runs.iter().map(|run| run.viewing.clone()).collect();
    let is_told = Arc::new(AtomicBool::new(false));
    let builders = build(runs, &is_over, &is_told);
    let failure = viewings.iter().find_map(|viewing| failure_soon(viewing));
    if let Some(FailureInfo { what, next }) = failure {
        is_over.store(true, Ordering::Relaxed);
        is_told.store(true, Ordering::Relaxed);
        builders.into_iter().for_each(|builder| drop(builder.join()));
        return Err(anyhow!("{what}; {next}").into());
    }
    say::result(&format!("{url}\n")).context("cannot print the address")?;
    if let Some(secret) = &secret {
        say::line(format_args!("code to start programs from the page: {}", secret.text()));
    }
    open_browser(args, &url, &server);
    is_told.store(true, Ordering::Relaxed);
    let launch = launches.clone().zip(secret).map(|(launches, secret)| (launches as Arc<dyn Launch>, secret));
    let served = server.serve(viewings, launch, || noting.is_interrupted());
    is_over.store(true, Ordering::Relaxed);
    if let Some(launches) = launches {
        launches.end();
    }
    builders.into_iter().for_each(|builder| drop(builder.join()));
    drop(noting);
    served.context("the server failed")?;
    Ok(0)
}

fn bind(args: &Args, links: Links) -> anyhow::Result<Server> {
    Server::bind(args.port, links)
        .with_context(|| format!("cannot listen on port {} of 127.0.0.1; choose another: --port", args.port))
}

/// Opens the page if this machine has a display, and says what the user can do.
fn open_browser(args: &Args, url: &str, server: &Server) {
    if args.no_browser || !has_display() {
        say::line("open this address in a browser; ^C stops the server");
    } else if webbrowser::open(url).is_err() {
        say::line("no browser could be started; open the address in one; ^C stops the server");
    } else {
        say::line("opened in the browser; ^C stops the server");
    }
    if let (Some(run), false, false) = (&args.run, args.launch, server.is_kept()) {
        say::line(format_args!(
            "links to this page are valid only until the server stops: the address cannot be kept in {}",
            run.display()
        ));
    }
}

/// The address of the page. The next server of the run keeps it. A page that may start programs has its own token, which
/// is valid only for this server.
fn links(args: &Args) -> anyhow::Result<Links> {
    match &args.run {
        Some(run) if !args.launch => Ok(Links::open(run)?),
        _ => Links::passing().context("cannot get random numbers"),
    }
}

/// A run to show, and where it is.
struct Opened {
    viewing: Arc<ViewSession>,
    path: PathBuf,
    store: PathBuf,
}

impl Opened {
    fn new(path: &Path, store: Option<&Path>, network: Option<Arc<Topology>>) -> anyhow::Result<Opened> {
        let (glance, store) = (RunHeader::at(path, live(path))?, store_of(path, store));
        let viewing = ViewSession::later(glance, Resolver::default(), store.clone()).with_network(network);
        let viewing = Arc::new(viewing);
        Ok(Opened { viewing, path: path.to_owned(), store })
    }
}

/// The network that the user describes.
fn network(args: &Args) -> anyhow::Result<Option<Arc<Topology>>> {
    let read = args.topology.as_deref().map(Topology::read).transpose();
    Ok(read.map_err(anyhow::Error::msg)?.map(Arc::new))
}

fn store_of(run: &Path, given: Option<&Path>) -> PathBuf {
    given.map_or_else(|| store_place(run), Path::to_owned)
}

/// Waits a moment for the rank files; returns why they cannot be read, if that is known by then.
fn failure_soon(viewing: &ViewSession) -> Option<FailureInfo> {
    let end = Instant::now() + PATIENCE;
    loop {
        let progress = viewing.progress();
        if progress.failure.is_some() && !viewing.is_counted() {
            return progress.failure;
        }
        if progress.files.is_none_or(|files| files.of > MANY_FILES) || Instant::now() >= end {
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Builds what is missing while the server runs, one run after the other, and follows runs that still grow. Errors are
/// printed after the address (`is_told`).
fn build(runs: Vec<Opened>, is_over: &Arc<AtomicBool>, is_told: &Arc<AtomicBool>) -> Vec<JoinHandle<()>> {
    let turn = Arc::new(Mutex::new(()));
    let started = runs.into_iter().map(|run| {
        let (turn, is_over, is_told) = (turn.clone(), is_over.clone(), is_told.clone());
        std::thread::spawn(move || {
            let go_on = || !is_over.load(Ordering::Relaxed);
            if run.viewing.read(&go_on) {
                give_back();
                let mine = turn.lock();
                if run.viewing.store(&go_on) {
                    give_back();
                    run.viewing.explain(&go_on);
                }
                drop(mine);
                give_back();
            }
            while !is_told.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let progress = run.viewing.progress();
            if let (State::Failed, Some(failure)) = (progress.state, progress.failure)
                && !is_over.load(Ordering::Relaxed)
            {
                say::warning(format_args!("{}: {}; {}", run.viewing.name(), failure.what, failure.next));
            }
            follow::follow(&run.viewing, &run.path, &run.store, &is_over);
        })
    });
    started.collect()
}

/// Whether a browser has a display. Text browsers would take over the terminal.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || is_set("BROWSER")) && std::io::stderr().is_terminal()
}
