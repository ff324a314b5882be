//! `mpiscope env algorithms`: which algorithm each collective call of a run used, inferred from the rules of its MPI.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Context;
use mpiscope_query::{CollectiveCalls, Target, collective_calls};
use mpiscope_run::{Resolver, Run, Summary};
use mpiscope_tune::algorithms::{Call, Inferred, Mpi, Other, Part, Place, Possible};
use mpiscope_tune::{Candidate, Facts, Setting, Source, candidates, shares};
use mpiscope_units::{bytes, counted, percent, time};
use serde::Serialize;

use super::run_of;
use crate::failure::Failure;
use crate::memory::give_back;
use crate::progress::Progress;
use crate::say;
use crate::wrap::wrap;

/// Rows that are printed without `--all`.
const SHORT: usize = 12;

const AFTER_HELP: &str = "\
The algorithm is inferred from the decision rules of the MPI's version and from the settings that the run recorded.
No call is observed. Rules of Open MPI 4.1 and 5.0 and of MPICH 3.4 to 5.0 are known, what I_MPI_ADJUST_... selects in
Intel MPI up to 2021.12, and conditions of Fujitsu MPI.

Exit codes:
  0  printed
  2  the run cannot be read, or its MPI is not known";

/// Infer which algorithm each collective call of a run used, on which condition another one, and what others gain
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The run: a directory such as a.out.mpiscope
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Predict what other algorithms gain that a setting can select, by the model of mpiscope predict
    #[arg(long)]
    gains: bool,

    /// Print all calls instead of those that take the most time
    #[arg(long)]
    all: bool,

    /// Print as JSON (schemas/algorithms.schema.json)
    #[arg(long)]
    json: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

/// The result, for both forms of output.
#[derive(Serialize)]
struct Answer {
    format: u32,
    mpiscope_version: &'static str,
    run: PathBuf,
    /// Such as `Open MPI 4.1.4`.
    mpi: String,
    /// How algorithms are known.
    how: &'static str,
    calls: Vec<Row>,
    /// Null without `--gains`.
    gains: Option<Vec<Gain>>,
}

/// Collective calls at one place, and what they used.
#[derive(Serialize)]
struct Row {
    function: String,
    site: String,
    comm: String,
    ranks: u64,
    hosts: u64,
    bytes: Option<u64>,
    count: u64,
    datatype: String,
    op: String,
    in_place: bool,
    operations: u64,
    time_ns: u64,
    /// Of the time of all ranks.
    share: f64,
    algorithm: Inferred,
    others: Vec<Other>,
}

/// What a setting would gain that selects another algorithm.
#[derive(Serialize)]
struct Gain {
    /// As for `mpiscope predict --what-if`.
    change: String,
    /// Share of the time that it saves; negative where it costs.
    gain: f64,
    low: f64,
    high: f64,
    /// What to set.
    setting: String,
}

pub fn main(args: &Args) -> Result<i32, Failure> {
    let (run, mpi, summary) = run_of(&args.run)?;
    let calls = collective_calls(&run, &Resolver::default()).map_err(anyhow::Error::from)?;
    let all_ns = summary.overview.rank_time_ns.max(1) as f64;
    let answer = Answer {
        format: 1,
        mpiscope_version: env!("CARGO_PKG_VERSION"),
        run: args.run.clone(),
        mpi: mpi.target.title.clone(),
        how: "inferred",
        calls: calls.into_iter().map(|calls| row(&mpi, calls, all_ns)).collect(),
        gains: if args.gains { Some(gains(&run, &mpi, &summary)?) } else { None },
    };
    let text = match args.json {
        true => serde_json::to_string_pretty(&answer).context("algorithms as JSON")? + "\n",
        false => page(&answer, args),
    };
    say::result(&text).context("standard output")?;
    Ok(0)
}

fn row(mpi: &Mpi, calls: CollectiveCalls, all_ns: f64) -> Row {
    let call = Call {
        function: calls.function.clone(),
        ranks: calls.ranks,
        hosts: calls.hosts,
        ranks_per_host: calls.ranks_per_host,
        is_inter: calls.is_inter,
        is_consecutive: calls.is_consecutive,
        bytes: calls.bytes,
        count: calls.count,
        is_in_place: calls.is_in_place,
        commutes: calls.is_built_in.then_some(true),
        is_built_in: calls.is_built_in,
    };
    Row {
        algorithm: mpi.infer(&call),
        others: mpi.others(&call),
        function: calls.function,
        site: calls.site,
        comm: calls.comm,
        ranks: calls.ranks,
        hosts: calls.hosts,
        bytes: calls.bytes,
        count: calls.count,
        datatype: calls.datatype,
        op: calls.op,
        in_place: calls.is_in_place,
        operations: calls.operations,
        time_ns: calls.time_ns,
        share: calls.time_ns as f64 / all_ns,
    }
}

/// What the candidates of `tune` for algorithms gain by the model, the best first.
fn gains(run: &Run, mpi: &Mpi, summary: &Summary) -> anyhow::Result<Vec<Gain>> {
    let overview = &summary.overview;
    let environment = |(name, value): (&String, &String)| Setting {
        name: name.clone(),
        value: value.clone(),
        source: Source::Environment,
    };
    let facts = Facts {
        target: Some(mpi.target.clone()),
        settings: mpi.settings.iter().map(environment).collect(),
        ranks: overview.world_size.max(overview.ranks),
        ranks_per_host: overview.hosts.values().copied().max().unwrap_or(1),
        hosts: overview.hosts.len() as u64,
        calls: shares(summary.calls.iter().map(|row| (row.call.as_str(), row.sum.time_ns)), overview.rank_time_ns),
        ..Facts::default()
    };
    let is_algorithm = |candidate: &Candidate| candidate.question.as_ref().is_some_and(|text| text.starts_with("MPI_"));
    let found: Vec<Candidate> = candidates(&facts).candidates.into_iter().filter(is_algorithm).collect();
    let (asked, of): (Vec<_>, Vec<_>) = found
        .iter()
        .filter_map(|candidate| Some((mpiscope_predict::parse(candidate.question.as_deref()?).ok()?, candidate)))
        .unzip();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let mut progress = Progress::new("reading events");
    let predicted = mpiscope_query::predict(run, &Resolver::default(), &asked, Target::default(), &mut |done, all| {
        progress.at(done, all);
        give_back();
        ControlFlow::Continue(())
    });
    progress.done();
    let answers = predicted?.answers;
    let mut gains: Vec<Gain> = answers
        .into_iter()
        .zip(of)
        .filter_map(|(answer, candidate)| {
            let answer = answer.ok()?;
            let setting = candidate.title.clone();
            Some(Gain { change: answer.change, gain: answer.gain, low: answer.low, high: answer.high, setting })
        })
        .collect();
    gains.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    Ok(gains)
}

fn page(answer: &Answer, args: &Args) -> String {
    let width = usize::from(args.width);
    let mut lines = wrap(
        &format!(
            "{}: algorithms of collective operations, inferred from its rules and the run's settings, not observed",
            answer.mpi
        ),
        width,
    );
    if answer.calls.is_empty() {
        lines.push(String::new());
        lines.push("The run has no collective calls.".to_owned());
    }
    let shown = if args.all { answer.calls.len() } else { SHORT };
    for row in answer.calls.iter().take(shown) {
        lines.push(String::new());
        let mut add = |indent: &str, text: &str| {
            for (at, part) in wrap(text, width - indent.len() - 2).into_iter().enumerate() {
                lines.push(format!("{indent}{}{part}", if at == 0 { "" } else { "  " }));
            }
        };
        add("", &what(row));
        add("  ", &format!("{}; {} of the ranks' time{}", operations(row), percent(row.share), at(&row.site)));
        algorithm(&row.algorithm, &mut add);
        if !row.others.is_empty() {
            let others = row.others.iter().map(|other| format!("{}: {}", other.when, steps(&other.parts)));
            add("  ", &format!("another one {}", others.collect::<Vec<_>>().join("; ")));
        }
    }
    if answer.calls.len() > shown {
        lines.push(String::new());
        lines.push(format!("... and {} more: --all", answer.calls.len() - shown));
    }
    if let Some(gains) = &answer.gains {
        lines.push(String::new());
        lines.push("WHAT OTHERS GAIN   predicted for all calls of the function; mpiscope tune measures it".to_owned());
        if gains.is_empty() {
            lines.extend(wrap(
                "  No function with 2 % of the time has algorithms that a setting selects and the model has.",
                width,
            ));
        }
        for gain in gains {
            let interval = format!("{:.1} … {:.1} %", gain.low * 100.0, gain.high * 100.0);
            let text = format!("{} ({interval}): {}, by {}", percent(gain.gain), gain.change, gain.setting);
            lines.extend(wrap(&text, width - 2).into_iter().map(|line| format!("  {line}")));
        }
    }
    lines.join("\n") + "\n"
}

/// `MPI_Allreduce of 8 B (MPI_DOUBLE, MPI_SUM), 4 ranks on 1 host (MPI_COMM_WORLD)`.
fn what(row: &Row) -> String {
    let size = match row.bytes {
        _ if row.function.contains("arrier") => String::new(),
        Some(size) => format!(" of {}", bytes(size)),
        None => " of different sizes".to_owned(),
    };
    let place = if row.in_place { "MPI_IN_PLACE" } else { "" };
    let details: Vec<&str> =
        [row.datatype.as_str(), &row.op, place].into_iter().filter(|text| !text.is_empty()).collect();
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    let members = format!("{} on {}", counted(row.ranks, "rank(s)"), counted(row.hosts, "host(s)"));
    format!("{}{size}{details}, {members} ({})", row.function, row.comm)
}

fn operations(row: &Row) -> String {
    let each = time(row.time_ns / (row.operations * row.ranks).max(1));
    format!("{} of {each} each", counted(row.operations, "operation(s)"))
}

fn at(site: &str) -> String {
    if site.is_empty() { String::new() } else { format!(", at {site}") }
}

fn algorithm(inferred: &Inferred, add: &mut impl FnMut(&str, &str)) {
    match inferred {
        Inferred::Known { parts, by, assumed } => {
            add("  ", &format!("{} ({by})", steps(parts)));
            for note in parts.iter().filter_map(|part| part.note.as_ref()) {
                add("    ", note);
            }
            if !assumed.is_empty() {
                add("    ", &format!("assumed: {}", assumed.join("; ")));
            }
        }
        Inferred::NotKnown { why, possible } => {
            add("  ", &format!("not known: {why}"));
            for Possible { algorithm, conditions, suited } in possible {
                add("    ", &format!("{algorithm}, for {suited}"));
                for (condition, is_met) in conditions {
                    let state = match is_met {
                        Some(true) => "met",
                        Some(false) => "not met",
                        None => "not recorded",
                    };
                    add("      ", &format!("{state}: {condition}"));
                }
            }
        }
    }
}

/// `within hosts release_gather, then between hosts recursive_doubling`.
fn steps(parts: &[Part]) -> String {
    let one = |part: &Part| {
        let place = match part.place {
            Place::All => "",
            Place::WithinHosts => "within hosts ",
            Place::BetweenHosts => "between hosts ",
        };
        let operation = part.operation.as_ref().map(|of| format!("{of} by ")).unwrap_or_default();
        format!("{place}{operation}{}", part.algorithm)
    };
    parts.iter().map(one).collect::<Vec<_>>().join(", then ")
}
