//! `mpiscope place`: which rank on which node.

mod files;
mod known;
mod lockstep;
mod page;
mod predicted;
mod shapes;
mod verify;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use mpiscope_place::{By, Cost, File, Named, cost, files, lines, loads, named};
use mpiscope_predict::Answer;
use mpiscope_query::{Incomplete, Layout, Reordering, Target, reorderings};
use mpiscope_run::topology::Topology;
use mpiscope_run::{Resolver, Run, Summary};
use mpiscope_units::counted;
use serde::Serialize;

use super::predict::profile_with_messages;
use super::report::{live, style::Style};
use crate::failure::Failure;
use crate::say;
pub use files::write;
use known::Known;
use lockstep::Lockstep;
use predicted::Predictions;
use verify::Verified;

const AFTER_HELP: &str = "\
Examples:
  mpiscope place a.mpiscope                          # orders of the run's ranks on its nodes, and what each costs
  mpiscope place a.mpiscope --nodes 4x8              # the same ranks on 4 nodes, 8 on each
  mpiscope place a.mpiscope --order blocks --write d # files for launchers
  mpiscope place a.mpiscope --by messages --phase 2  # only what phase 2 of an iteration sends, by its messages
  mpiscope place a.mpiscope --shapes 12              # 12 nodes of a torus: 2x6, 3x4, 2x2x3, ...
  mpiscope place a.mpiscope --order best --verify    # run the program in both orders, and compare with the prediction

Exit codes:
  0    answered
  2    the run or topology cannot be read, an invalid option, the ranks do not fit, or the program fails
  130  interrupted";

/// Compare orders of ranks on nodes by what crosses between nodes and by predicted time, and write files for launchers
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Nodes and ranks on each, instead of those of the run: 4x8
    #[arg(long, value_name = "NODESxRANKS", value_parser = extents)]
    nodes: Option<Extents>,

    /// Extents of the process grid, the last one fastest, instead of those of a Cartesian communicator: 4x4
    #[arg(long, value_name = "EXTENTS", value_parser = extents)]
    grid: Option<Extents>,

    /// What makes ranks belong together: messages, bytes, or time in calls for them
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Weight::Bytes)]
    by: Weight,

    /// Only what ranks exchange in one phase of an iteration, by its number in the report
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    phase: Option<u32>,

    /// Distances and links between nodes from a description of the network (docs/topology.md)
    #[arg(long, value_name = "FILE")]
    topology: Option<PathBuf>,

    /// Machine profile with the costs of communication, for predicted times (mpiscope bench); without it, they are fitted to the run
    #[arg(long, value_name = "PROFILE")]
    machine: Option<PathBuf>,

    /// Order whose files are shown and written, by its name in the table
    #[arg(long, value_name = "ORDER", default_value = "best")]
    order: String,

    /// Write the files for launchers into this directory
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,

    /// Show where one rank is, and its partners
    #[arg(long, value_name = "RANK")]
    rank: Option<u32>,

    /// The same for a place: the node of a torus with these coordinates, or the rank of the process grid
    #[arg(long, value_name = "X,Y...", value_delimiter = ',', conflicts_with = "rank")]
    coordinates: Vec<u32>,

    /// Compare the shapes of so many nodes: extents of a torus, or, with --topology, leaf switches of a tree
    #[arg(long, value_name = "NODES", conflicts_with_all = ["nodes", "order", "write", "rank", "coordinates"],
        value_parser = clap::value_parser!(u32).range(1..=65536))]
    shapes: Option<u32>,

    /// Run the program as recorded and with --order, in turn, and compare the gain with the predicted one
    #[arg(long, conflicts_with_all = ["nodes", "rank", "coordinates", "shapes"])]
    verify: bool,

    /// With --verify: most pairs of runs; fewer are made if they agree
    #[arg(long, value_name = "N", default_value_t = 12, requires = "verify", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pairs: u32,

    /// With --verify: a run that takes longer has failed, such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME", default_value = "1h", requires = "verify", value_parser = super::tune::duration)]
    timeout: Duration,

    /// With --verify: the launcher with its options, instead of the recorded one
    #[arg(long, value_name = "WORDS", requires = "verify")]
    launcher: Option<String>,

    /// Print everything as one JSON object (schemas/place.schema.json; with --shapes schemas/shapes.schema.json)
    #[arg(long)]
    json: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,

    /// With --verify: the program and its arguments, instead of the recorded one
    #[arg(last = true, value_name = "PROGRAM", requires = "verify")]
    program: Vec<String>,
}

/// What makes ranks belong together, as an option has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    Messages,
    Bytes,
    Time,
}

impl From<Weight> for By {
    fn from(weight: Weight) -> By {
        match weight {
            Weight::Messages => By::Messages,
            Weight::Bytes => By::Bytes,
            Weight::Time => By::Time,
        }
    }
}

/// Numbers as an option has them: `4x8`.
#[derive(Clone)]
pub struct Extents(Vec<u32>);

/// Reads them.
pub fn extents(text: &str) -> Result<Extents, String> {
    let numbers: Result<Vec<u32>, _> = text.split('x').map(str::parse).collect();
    match numbers {
        Ok(numbers) if numbers.len() > 1 && numbers.iter().all(|&n| n > 0) => Ok(Extents(numbers)),
        _ => Err("expected numbers above 0 with x between them, such as 4x8".to_owned()),
    }
}

/// Nodes, and ranks on each.
pub fn nodes_and_ranks(Extents(given): &Extents) -> anyhow::Result<[u32; 2]> {
    match given[..] {
        [count, room] => Ok([count, room]),
        _ => bail!("--nodes has two numbers: nodes and ranks on each, such as 4x8"),
    }
}

/// An order as JSON has it.
#[derive(Serialize)]
struct Row<'a> {
    order: &'static str,
    what: &'static str,
    between_nodes_bytes: u64,
    between_nodes_messages: u64,
    between_nodes_time_ns: u64,
    busiest_node_bytes: u64,
    hop_bytes: Option<u64>,
    loaded_link_bytes: Option<u64>,
    loaded_link: Option<&'a str>,
    predicted_ns: Option<u64>,
    gain: Option<f64>,
    gain_low: Option<f64>,
    gain_high: Option<f64>,
    /// The node of each recorded rank, in their order.
    nodes: &'a [u32],
}

#[derive(Serialize)]
struct Output<'a> {
    format: u32,
    run: &'a Path,
    /// What of the job the run does not have.
    caveats: &'a [String],
    nodes: &'a [String],
    by: Weight,
    phase: Option<&'a str>,
    all_bytes: u64,
    collective_bytes: u64,
    collective_calls_left_out: u64,
    lockstep: &'a [Lockstep],
    orders: Vec<Row<'a>>,
    /// Communicators that the MPI may have reordered.
    communicators: &'a [Reordering],
    /// Why there are no predicted times.
    not_predicted: Option<&'a str>,
    verified: Option<&'a Verified>,
}

/// All that is known of an order.
struct Rated {
    order: Named,
    cost: Cost,
    /// Bytes of the most loaded link, and its name.
    loaded: Option<(u64, String)>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let run = Run::open(&args.run, &live(&args.run)).map_err(anyhow::Error::from)?;
    let incomplete = Incomplete::new(&run);
    // An order would number the ranks that are there.
    let names_ranks = args.write.is_some() || args.verify || args.rank.is_some() || !args.coordinates.is_empty();
    if incomplete.lacks_ranks && names_ranks {
        let (run, why) = (args.run.display(), incomplete.caveats.join(". "));
        return Err(anyhow::anyhow!(
            "{run}: {why}. An order needs all ranks: record the job without --ranks, and keep its rank files"
        )
        .into());
    }
    let summary = run.summary(|_| true, &Resolver::default());
    let topology = args.topology.as_deref().map(Topology::read).transpose().map_err(anyhow::Error::msg)?;
    let topology = topology.as_ref();
    let profile = args.machine.as_deref().map(profile_with_messages).transpose()?;
    let mut nodes = args.nodes.as_ref().map(nodes_and_ranks).transpose()?;
    if let Some(count) = args.shapes {
        nodes = Some([count, (summary.ranks.len() as u32).div_ceil(count)]);
    }
    let target = Target { profile: profile.as_ref(), nodes, topology: topology.filter(|_| args.shapes.is_none()) };
    let mut layout = Layout::new(&summary, target).map_err(anyhow::Error::from)?;
    let ranks = layout.ranks();
    if let Some(Extents(dims)) = &args.grid {
        if dims.iter().map(|&d| d as usize).product::<usize>() != ranks {
            let dims: Vec<String> = dims.iter().map(u32::to_string).collect();
            let ranks = counted(ranks as u64, "rank(s)");
            return Err(anyhow::anyhow!("a grid of {} does not have the run's {ranks}", dims.join("x")).into());
        }
        layout.dims.clone_from(dims);
    }
    layout.by = args.by.into();
    let known = Known::of(&run, &args, &mut layout, summary.overview.calls)?;
    let style = Style::new(args.width.into(), |key| std::env::var(key).ok());
    if let Some(count) = args.shapes {
        let found = shapes::Shapes::new(&args.run, count, layout, topology)?;
        let text = match args.json {
            true => serde_json::to_string_pretty(&found).context("cannot write JSON")? + "\n",
            false => found.page(style),
        };
        say::result(&text).context("cannot write the shapes")?;
        return Ok(0);
    }
    let all: Vec<Rated> = layout.orders(topology).into_iter().map(|order| rated(order, &layout, topology)).collect();
    let orders: Vec<Named> = all.iter().map(|rated| rated.order.clone()).collect();
    let Some(chosen) = named(&orders, &args.order) else {
        let known: Vec<&str> = orders.iter().map(|order| order.id).collect();
        return Err(anyhow::anyhow!("no order `{}`; there are {}", args.order, known.join(", ")).into());
    };
    let packages = if chosen.id == "by-package" { layout.packages } else { 1 };
    let written =
        files::with_header(files(&chosen.nodes, &layout.names, packages), layout.now.as_deref(), &chosen.nodes);
    if let Some(folder) = &args.write {
        files::write(folder, &written)?;
    }
    let near = page::Near { layout: &layout, topology, order: chosen };
    let text = if let Some(rank) = args.rank {
        near.of_rank(rank, style)?
    } else if !args.coordinates.is_empty() {
        near.of_place(&args.coordinates, style)?
    } else {
        let predictions = Predictions::of(&run, summary.overview.calls, &orders, target);
        let verified = match args.verify {
            true => {
                let number = orders.iter().position(|order| order.id == chosen.id).unwrap_or(0);
                match verify::verify(&args, &run, &layout, chosen, predictions.saves_s(number))? {
                    Some(verified) => Some(verified),
                    None => return Ok(verify::INTERRUPTED),
                }
            }
            false => None,
        };
        let found = page::Found {
            args: &args,
            incomplete: &incomplete,
            layout: &layout,
            all: &all,
            communicators: reorderings(&run, &layout),
            lockstep: known.lockstep(&orders),
            phase: known.phase,
            predictions,
            verified,
        };
        match args.json {
            true => json(&found)?,
            false => {
                let lines = lines(&chosen.nodes, &layout.names);
                found.page(chosen, if incomplete.lacks_ranks { (&[], &[]) } else { (&written, &lines) }, style)
            }
        }
    };
    say::result(&text).context("cannot write the orders")?;
    Ok(0)
}

/// An order of a run's ranks on its own nodes.
pub struct Best {
    /// What it is.
    pub what: &'static str,
    /// The part of the bytes between nodes that it saves.
    pub saved: f64,
    /// For launchers.
    pub files: Vec<File>,
}

/// The order with the fewest bytes between nodes; `None` for a run on one node, for one without some of its ranks, or if none is better than
/// the recorded one.
pub fn best_order(summary: &Summary) -> Option<Best> {
    if !summary.overview.missing.is_empty() || summary.losses.ranks_not_wanted > 0 {
        return None;
    }
    let layout = Layout::new(summary, Target::default()).ok()?;
    let bytes = |order: &[u32]| cost(&layout.sent, order, None).bytes;
    let best = layout.orders(None).into_iter().min_by_key(|order| bytes(&order.nodes))?;
    let (before, after) = (bytes(layout.now.as_deref()?), bytes(&best.nodes));
    let saved = 1.0 - after as f64 / before.max(1) as f64;
    (after < before).then(|| Best { what: best.what, saved, files: files(&best.nodes, &layout.names, 1) })
}

fn rated(order: Named, layout: &Layout, topology: Option<&Topology>) -> Rated {
    let hops = |a: u32, b: u32| topology.map_or(0, |topology| layout.hops(topology, a, b));
    let hops: Option<&dyn Fn(u32, u32) -> u32> = if topology.is_some() { Some(&hops) } else { None };
    let cost = cost(&layout.sent, &order.nodes, hops);
    let loaded = topology.and_then(|topology| {
        let loads = loads(&layout.sent, &order.nodes, |a, b| layout.route(topology, a, b));
        let (link, bytes) = loads.into_iter().max_by_key(|&(link, bytes)| (bytes, std::cmp::Reverse(link)))?;
        Some((bytes, topology.link_name(link)))
    });
    Rated { order, cost, loaded }
}

fn row<'a>(rated: &'a Rated, answer: Option<&Answer>) -> Row<'a> {
    Row {
        order: rated.order.id,
        what: rated.order.what,
        between_nodes_bytes: rated.cost.bytes,
        between_nodes_messages: rated.cost.messages,
        between_nodes_time_ns: rated.cost.time_ns,
        busiest_node_bytes: rated.cost.busiest_bytes,
        hop_bytes: rated.cost.hop_bytes,
        loaded_link_bytes: rated.loaded.as_ref().map(|loaded| loaded.0),
        loaded_link: rated.loaded.as_ref().map(|loaded| loaded.1.as_str()),
        predicted_ns: answer.map(|answer| answer.predicted_ns),
        gain: answer.map(|answer| answer.gain),
        gain_low: answer.map(|answer| answer.low),
        gain_high: answer.map(|answer| answer.high),
        nodes: &rated.order.nodes,
    }
}

fn json(found: &page::Found<'_>) -> anyhow::Result<String> {
    let output = Output {
        format: 1,
        run: &found.args.run,
        caveats: &found.incomplete.caveats,
        nodes: &found.layout.names,
        by: found.args.by,
        phase: found.phase.as_deref(),
        all_bytes: found.all_bytes(),
        collective_bytes: found.layout.collective_bytes,
        collective_calls_left_out: found.layout.calls_left_out,
        lockstep: &found.lockstep,
        orders: found.all.iter().enumerate().map(|(at, rated)| row(rated, found.predictions.answer(at))).collect(),
        communicators: &found.communicators,
        not_predicted: found.predictions.why_not.as_deref(),
        verified: found.verified.as_ref(),
    };
    Ok(serde_json::to_string_pretty(&output).context("cannot write JSON")? + "\n")
}
