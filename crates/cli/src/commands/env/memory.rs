//! `mpiscope env memory`: memory that the MPI of a run takes, estimated, beside what its processes had and what messages came early.

use std::path::PathBuf;

use anyhow::Context;
use mpiscope_run::{Overview, Resolver, Run, Spread};
use mpiscope_tune::{SharedMemory, shared_memory};
use mpiscope_units::{bytes, counted};
use serde::Serialize;

use super::page::add;
use super::run_of;
use crate::explained::explain;
use crate::failure::Failure;
use crate::say;

/// Estimate the shared memory that the MPI of a run takes, beside what its processes had
#[derive(clap::Args)]
pub struct Args {
    /// The run: a directory such as a.out.mpiscope
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Print as JSON (schemas/memory.schema.json)
    #[arg(long)]
    json: bool,
}

/// The result, for both forms of output.
#[derive(Serialize)]
struct Answer {
    format: u32,
    mpiscope_version: &'static str,
    run: PathBuf,
    mpi: String,
    /// How the shared memory is known.
    how: &'static str,
    /// Ranks of the host that has the most.
    ranks_per_host: u64,
    shared: Option<SharedMemory>,
    /// Why it is not known.
    shared_problem: Option<String>,
    /// Messages that the MPI had to keep; null if the run has no events.
    early: Option<Early>,
    /// What initialisation added to the resident memory of a process.
    init_rss_bytes: Option<Spread>,
    /// The largest resident memory of a process.
    max_rss_bytes: Option<Spread>,
}

/// Messages that had been sent completely before their receive was posted, on the rank that had the most bytes of them at once.
#[derive(Serialize)]
struct Early {
    rank: i32,
    bytes: u64,
    /// Unexpected messages of this rank at once, those that were not sent completely included.
    messages: u64,
}

/// From the events of the run.
fn early(run: &Run) -> anyhow::Result<Option<Early>> {
    let (explanation, _) = explain(run, &Resolver::default(), None)?;
    let most = explanation.queues.iter().max_by_key(|queue| (queue.kept_bytes_max, std::cmp::Reverse(queue.rank)));
    let has_events = explanation.scope.calls > 0;
    Ok(most.filter(|_| has_events).map(|queue| Early {
        rank: queue.rank,
        bytes: queue.kept_bytes_max,
        messages: queue.unexpected_max,
    }))
}

pub fn main(args: &Args) -> Result<i32, Failure> {
    let (run, mpi, summary) = run_of(&args.run)?;
    let early = early(&run)?;
    let Overview { hosts, init_rss_bytes, max_rss_bytes, .. } = summary.overview;
    let ranks_per_host = hosts.values().copied().max().unwrap_or(1);
    let found = shared_memory(&mpi, ranks_per_host);
    let answer = Answer {
        format: 1,
        mpiscope_version: env!("CARGO_PKG_VERSION"),
        run: args.run.clone(),
        mpi: mpi.target.title,
        how: "estimated",
        ranks_per_host,
        shared_problem: found.as_ref().err().cloned(),
        shared: found.ok(),
        early,
        init_rss_bytes,
        max_rss_bytes,
    };
    let text = match args.json {
        true => serde_json::to_string_pretty(&answer).context("memory as JSON")? + "\n",
        false => page(&answer),
    };
    say::result(&text).context("standard output")?;
    Ok(0)
}

fn page(answer: &Answer) -> String {
    let mut text = String::new();
    add(
        &mut text,
        "",
        &format!("{}, {} on the host that has the most", answer.mpi, counted(answer.ranks_per_host, "rank(s)")),
    );
    text.push_str("\nShared memory, estimated from the settings of the run\n");
    match (&answer.shared, &answer.shared_problem) {
        (Some(shared), _) => {
            let (all, each) = (bytes(shared.bytes), bytes(shared.bytes_per_rank));
            let system_v = match shared.system_v_bytes {
                0 => String::new(),
                more => format!(", and {} of System V", bytes(more)),
            };
            add(&mut text, "  ", &format!("{all} in /dev/shm ({each} per rank){system_v}: {}", shared.what));
            let used = match shared.resident_bytes_per_rank {
                Some(at_once) => {
                    format!("Of it, {} per rank are resident from MPI_Init on, the rest if it is used.", bytes(at_once))
                }
                None => "Each process of the host maps all of it. Only what is used becomes resident.".to_owned(),
            };
            add(&mut text, "  ", &used);
            if let Some(connection) = shared.connection_bytes {
                let each = bytes(connection);
                add(
                    &mut text,
                    "  ",
                    &format!("each partner on the host, after some messages to it: {each} of the segment"),
                );
            }
            for (name, value) in &shared.variables {
                add(&mut text, "  ", &format!("{name} = {value}"));
            }
            add(&mut text, "  ", &format!("to lower it: set {}", shared.lower));
        }
        (None, problem) => add(&mut text, "  ", &format!("not known: {}", problem.as_deref().unwrap_or("no rule"))),
    }
    text.push_str("\nMessages that came before their receive, as recorded\n");
    let early = match &answer.early {
        None => "not known: the run has no events".to_owned(),
        Some(early) if early.bytes == 0 => "none that the MPI had to keep".to_owned(),
        Some(early) => format!(
            "at least {} at once on rank {}; the MPI keeps each with its own overhead; at most {} at once",
            bytes(early.bytes),
            early.rank,
            counted(early.messages, "unexpected message(s)")
        ),
    };
    add(&mut text, "  ", &early);
    text.push_str("\nResident memory of a process, as recorded\n");
    let spread = |what: &str, spread: &Option<Spread>| match spread {
        Some(of) => {
            format!("{what}: {} (mean), {} (largest, rank {})", bytes(of.mean), bytes(of.max.value), of.max.rank)
        }
        None => format!("{what}: not recorded"),
    };
    add(&mut text, "  ", &spread("added by MPI_Init", &answer.init_rss_bytes));
    add(&mut text, "  ", &spread("at most", &answer.max_rss_bytes));
    text
}
