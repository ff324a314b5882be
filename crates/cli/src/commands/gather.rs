//! `mpiscope gather`: moves what this host still holds of a run into the run.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use mpiscope_launch::manifest::Manifest;
use mpiscope_launch::spool::{self, part};
use mpiscope_launch::{Gathered, host, remote_gather, shell_words};
use serde::Serialize;

use crate::failure::Failure;
use crate::say;

const EXIT_CODES: &str = "\
Exit codes:
  0  everything that this host held is in the run
  1  some files could not be moved, or may be on other hosts (see messages)
  2  not a run, or an invalid option";

/// Time that the receiver has to confirm a part; without confirmation the part is kept here.
const PATIENCE_MS: i32 = 60_000;

/// Move what this host still holds of a run into the run, after a crash of the host or of the job
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Args {
    /// The run's directory [default: every run with files in this host's shared memory]
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,

    /// Add this part of the run, copied from a host that cannot access the run's directory
    #[arg(long, value_name = "DIR", requires = "run")]
    from: Option<PathBuf>,

    /// Print the result as JSON (schemas/gather.schema.json)
    #[arg(long)]
    json: bool,

    /// Report whether this host has a part of the run with this id
    #[arg(long, hide = true, value_name = "ID", conflicts_with_all = ["run", "json"])]
    list: Option<String>,

    /// Write this host's part of the run with this id to standard output
    #[arg(long, hide = true, value_name = "ID", conflicts_with_all = ["run", "json", "list"])]
    send: Option<String>,
}

/// The result for one run.
#[derive(Serialize)]
struct Outcome {
    run: PathBuf,
    /// Names of the files that were moved into the run.
    taken: Vec<String>,
    /// Files of processes that still run here.
    running: usize,
    /// Files that could not be moved.
    kept: Vec<LeftFile>,
    /// Where other hosts may still hold something.
    elsewhere: Vec<Elsewhere>,
}

#[derive(Serialize)]
struct LeftFile {
    path: PathBuf,
    why: String,
}

#[derive(Serialize)]
struct Elsewhere {
    host: String,
    dir: PathBuf,
}

#[derive(Serialize)]
struct Whole {
    /// Version of this structure.
    format: u32,
    /// This host.
    host: String,
    runs: Vec<Outcome>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    if let Some(id) = &args.list {
        return list(id);
    }
    if let Some(id) = &args.send {
        return send(id);
    }
    let runs = match &args.run {
        Some(run) => vec![std::path::absolute(run).context("cannot determine the current directory")?],
        None => spool::runs_left_over(&spool::left_over(Path::new(spool::SHARED_MEMORY))),
    };
    let mut whole = Whole { format: 1, host: host::name(), runs: Vec::new() };
    for run in runs {
        match (read_manifest(&run), &args.run) {
            (Ok(manifest), _) => whole.runs.push(one(&run, &manifest, args.from.as_deref())?),
            (Err(error), Some(_)) => return Err(error.into()),
            (Err(error), None) => say::warning(format_args!("{error:#}")),
        }
    }
    print_result(&args, &whole)?;
    let incomplete = |one: &Outcome| one.running > 0 || !one.kept.is_empty() || !one.elsewhere.is_empty();
    Ok(whole.runs.iter().any(incomplete).into())
}

/// The manifest of a run, or why there is none and what to do next.
fn read_manifest(run: &Path) -> anyhow::Result<Manifest> {
    Manifest::read(run).map_err(|error| {
        let shown = shell_words::join(&[run.to_string_lossy()]);
        match part::of_path(run) {
            Some(dir) => anyhow!(
                "this host cannot access {shown}; its part of the run is in {dir}; copy that to a host that can access \
                 the run, then type there: mpiscope gather {shown} --from {name}",
                dir = dir.display(),
                name = dir.file_name().unwrap_or_default().display(),
            ),
            None => anyhow::Error::from(error).context(format!("{shown}: there is no such run on this host")),
        }
    })
}

fn one(run: &Path, manifest: &Manifest, from: Option<&Path>) -> Result<Outcome, Failure> {
    let mut done = spool::gather(run);
    if let Some(from) = from {
        let taken = part::adopt(from, run, &manifest.run_id);
        done.taken.extend(taken.with_context(|| format!("cannot gather {}", from.display()))?);
    }
    // The host that holds a part may be able to access the run by now.
    if let Some(dir) = part::find(&manifest.run_id)
        && from.is_none()
    {
        match part::adopt(&dir, run, &manifest.run_id) {
            Ok(taken) => {
                done.taken.extend(taken);
                let _ = part::remove(&dir);
            }
            Err(why) => done.kept.push(spool::LeftFile { path: dir, why }),
        }
    }
    Ok(outcome(run, done))
}

fn outcome(run: &Path, done: Gathered) -> Outcome {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut taken: Vec<String> = done.taken.iter().map(name).collect();
    taken.sort();
    Outcome {
        run: run.to_owned(),
        taken,
        running: done.alive.len(),
        kept: done.kept.into_iter().map(|kept| LeftFile { path: kept.path, why: kept.why.to_string() }).collect(),
        elsewhere: done.elsewhere.into_iter().map(|place| Elsewhere { host: place.host, dir: place.dir }).collect(),
    }
}

fn print_result(args: &Args, whole: &Whole) -> Result<(), Failure> {
    if args.json {
        let text = serde_json::to_string_pretty(whole).context("cannot write JSON")? + "\n";
        say::result(&text).context("cannot write the result")?;
        return Ok(());
    }
    if whole.runs.is_empty() {
        say::line(format_args!("{} has no files of any run in shared memory", whole.host));
    }
    for one in &whole.runs {
        let run = shell_words::join(&[one.run.to_string_lossy()]);
        let plural = if one.taken.len() == 1 { "" } else { "s" };
        say::line(format_args!("{} file{plural} moved from {} into {run}", one.taken.len(), whole.host));
        let names: String = one.taken.iter().map(|name| format!("{name}\n")).collect();
        say::result(&names).context("cannot write the result")?;
        if one.running > 0 {
            say::line(format_args!(
                "{} processes of it still run here; gather again when they have ended",
                one.running
            ));
        }
        for kept in &one.kept {
            say::warning(format_args!("cannot move {} into the run: {}", kept.path.display(), kept.why));
        }
        for place in &one.elsewhere {
            left(&place.host, &place.dir, &run);
        }
    }
    Ok(())
}

/// Reports what a host may still hold, and what to type there.
pub fn left(host: &str, dir: &Path, run: &str) {
    say::warning(format_args!("{host} may still hold rank files in {}", dir.display()));
    say::more(format_args!("try on {host}: mpiscope gather {run}"));
}

fn list(id: &str) -> Result<i32, Failure> {
    if let Some(dir) = part::find(id) {
        say::result(&remote_gather::answer(id, &host::name(), &dir)).context("cannot write the result")?;
    }
    Ok(0)
}

fn send(id: &str) -> Result<i32, Failure> {
    let dir = part::find(id).ok_or_else(|| anyhow!("{} has no part of run {id}", host::name()))?;
    // Files that a killed `exec` left in the spool belong to the part.
    let _ = spool::gather(&dir);
    let mut out = io::BufWriter::with_capacity(1 << 20, io::stdout().lock());
    part::send(&dir, id, &host::name(), &mut out).context("cannot send")?;
    drop(out);
    match part::is_taken(PATIENCE_MS) {
        true => part::remove(&dir).with_context(|| format!("cannot remove {}", dir.display()))?,
        false => return Err(anyhow!("the receiver did not confirm the part; it remains in {}", dir.display()).into()),
    }
    Ok(0)
}
