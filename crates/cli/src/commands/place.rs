//! `mpiscope place`: which rank on which node.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use mpiscope_place::{Cost, File, Named, Sent, cost, files, new_ranks, orders, ties};
use mpiscope_run::topology::Topology;
use mpiscope_run::{Resolver, Run, Summary};
use mpiscope_units::{counted, rank_list, share};
use serde::Serialize;

use super::report::{grid, live, style::Style};
use crate::failure::Failure;
use crate::say;
use crate::wrap::wrap;
use grid::{Field, Grid, number, words};

const AFTER_HELP: &str = "\
Examples:
  mpiscope place a.mpiscope                          # orders of the run's ranks on its nodes, and what each costs
  mpiscope place a.mpiscope --nodes 4x8              # the same ranks on 4 nodes, 8 on each
  mpiscope place a.mpiscope --order blocks --write d # files for launchers

Exit codes:
  0  answered
  2  the run or topology cannot be read, an invalid option, or the ranks do not fit";

/// Compare orders of ranks on nodes by what crosses between nodes, and write files for launchers
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

    /// Distances between nodes from a description of the network (docs/topology.md)
    #[arg(long, value_name = "FILE")]
    topology: Option<PathBuf>,

    /// Order whose files are shown and written, by its name in the table
    #[arg(long, value_name = "ORDER", default_value = "best")]
    order: String,

    /// Write the files for launchers into this directory
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,

    /// Show where one rank is, and its partners
    #[arg(long, value_name = "RANK")]
    rank: Option<u32>,

    /// Print everything as one JSON object (schemas/place.schema.json)
    #[arg(long)]
    json: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

/// Numbers as an option has them: `4x8`.
#[derive(Clone)]
struct Extents(Vec<u32>);

fn extents(text: &str) -> Result<Extents, String> {
    let numbers: Result<Vec<u32>, _> = text.split('x').map(str::parse).collect();
    match numbers {
        Ok(numbers) if numbers.len() > 1 && numbers.iter().all(|&n| n > 0) => Ok(Extents(numbers)),
        _ => Err("expected numbers above 0 with x between them, such as 4x8".to_owned()),
    }
}

/// An order as JSON has it.
#[derive(Serialize)]
struct Row {
    order: &'static str,
    what: &'static str,
    between_nodes_bytes: u64,
    between_nodes_messages: u64,
    busiest_node_bytes: u64,
    hop_bytes: Option<u64>,
    /// The node of each rank.
    nodes: Vec<u32>,
}

#[derive(Serialize)]
struct Output<'a> {
    format: u32,
    run: &'a Path,
    nodes: &'a [String],
    all_bytes: u64,
    orders: Vec<Row>,
}

/// Where ranks can be.
struct Nodes {
    names: Vec<String>,
    room: Vec<usize>,
    /// The node of each rank in the run; `None` with `--nodes`.
    now: Option<Vec<u32>>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let run = Run::open(&args.run, &live(&args.run)).map_err(anyhow::Error::from)?;
    let summary = run.summary(|_| true, &Resolver::default());
    let topology = args.topology.as_deref().map(Topology::read).transpose().map_err(anyhow::Error::msg)?;
    let ranks = summary.ranks.len();
    let nodes = nodes(&args, &summary)?;
    let sent = sent(&summary);
    let given = args.grid.as_ref().map(|Extents(dims)| dims);
    if let Some(dims) = given.filter(|dims| dims.iter().map(|&d| d as usize).product::<usize>() != ranks) {
        let dims: Vec<String> = dims.iter().map(u32::to_string).collect();
        let ranks = counted(ranks as u64, "rank(s)");
        return Err(anyhow::anyhow!("a grid of {} does not have the run's {ranks}", dims.join("x")).into());
    }
    let dims = given.cloned().unwrap_or_else(|| cartesian(&summary));
    let places = topology.as_ref().map(|topology| node_numbers(topology, &nodes)).transpose()?;
    let hops = |a: u32, b: u32| match (&topology, &places) {
        (Some(topology), Some(places)) => topology.hops(places[a as usize], places[b as usize]),
        _ => 0,
    };
    let hops: Option<&dyn Fn(u32, u32) -> u32> = if topology.is_some() { Some(&hops) } else { None };
    let now = nodes.now.clone();
    let start = now.clone().unwrap_or_else(|| vec![0; ranks]);
    let mut all = orders(&ties(&sent, ranks), &start, &nodes.room, &dims);
    if let Some(nodes) = &now {
        all.insert(0, Named { id: "recorded", what: "as in the run", nodes: nodes.clone() });
    }
    let costs: Vec<Cost> = all.iter().map(|order| cost(&sent, &order.nodes, hops)).collect();
    let Some(chosen) = all.iter().find(|order| order.id == args.order) else {
        let known: Vec<&str> = all.iter().map(|order| order.id).collect();
        return Err(anyhow::anyhow!("no order `{}`; there are {}", args.order, known.join(", ")).into());
    };
    let written = with_header(files(&chosen.nodes, &nodes.names), now.as_deref(), &chosen.nodes);
    if let Some(folder) = &args.write {
        write(folder, &written)?;
    }
    let style = Style::new(args.width.into(), |key| std::env::var(key).ok());
    let all_bytes = sent.iter().map(|one| one.bytes).sum();
    let text = if args.json {
        json(&args.run, &nodes, all_bytes, &all, &costs)?
    } else if let Some(rank) = args.rank {
        of_rank(rank, chosen, &nodes, &sent, hops, style)?
    } else {
        let table = table(&all, &costs, all_bytes, style);
        let mut lines = vec![title(ranks, &nodes), table, placed(chosen, &nodes)];
        lines.extend(written.iter().map(|file| format!("{}: {}", file.launcher, file.how)));
        lines.push(match &args.write {
            Some(folder) => format!("The files are in {}.", folder.display()),
            None => {
                format!("To write the files: mpiscope place {} --order {} --write DIR", args.run.display(), chosen.id)
            }
        });
        page(&lines, style)
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

/// The order with the fewest bytes between nodes; `None` for a run on one node, or if none is better than the recorded one.
pub fn best_order(summary: &Summary) -> Option<Best> {
    let nodes = own_nodes(summary);
    let now = nodes.now.as_deref().filter(|_| nodes.names.len() > 1)?;
    let sent = sent(summary);
    let bytes = |order: &[u32]| cost(&sent, order, None).bytes;
    let all = orders(&ties(&sent, now.len()), now, &nodes.room, &cartesian(summary));
    let best = all.into_iter().min_by_key(|order| bytes(&order.nodes))?;
    let (before, after) = (bytes(now), bytes(&best.nodes));
    let saved = 1.0 - after as f64 / before.max(1) as f64;
    (after < before).then(|| Best { what: best.what, saved, files: files(&best.nodes, &nodes.names) })
}

/// The nodes of the run, or those of `--nodes`.
fn nodes(args: &Args, summary: &Summary) -> anyhow::Result<Nodes> {
    let ranks = summary.ranks.len();
    if let Some(Extents(given)) = &args.nodes {
        let [count, room] = given[..] else { bail!("--nodes has two numbers: nodes and ranks on each, such as 4x8") };
        let all = count as usize * room as usize;
        if all < ranks {
            bail!(
                "the run has {}, but {count}x{room} has room for {all}; use more nodes",
                counted(ranks as u64, "rank(s)")
            );
        }
        let names = (0..count).map(|node| format!("node{node}")).collect();
        return Ok(Nodes { names, room: vec![room as usize; count as usize], now: None });
    }
    let found = own_nodes(summary);
    if found.names.len() < 2 {
        let run = args.run.display();
        bail!(
            "all ranks of the run were on one node; name other nodes: mpiscope place {run} --nodes 2x{}",
            ranks.div_ceil(2)
        );
    }
    Ok(found)
}

/// The nodes of the run.
fn own_nodes(summary: &Summary) -> Nodes {
    let mut found = Nodes { names: Vec::new(), room: Vec::new(), now: None };
    let mut now = Vec::new();
    for row in &summary.ranks {
        let at = found.names.iter().position(|name| *name == row.host).unwrap_or_else(|| {
            found.names.push(row.host.clone());
            found.room.push(0);
            found.names.len() - 1
        });
        found.room[at] += 1;
        now.push(at as u32);
    }
    found.now = Some(now);
    found
}

/// Messages between ranks. Rows of the summary are ranks in order.
fn sent(summary: &Summary) -> Vec<Sent> {
    let place: BTreeMap<i32, u32> = summary.ranks.iter().enumerate().map(|(at, row)| (row.rank, at as u32)).collect();
    let one = |row: &mpiscope_run::PeerRow| {
        let (from, to) = (*place.get(&row.rank)?, *place.get(&row.peer)?);
        Some(Sent { from, to, messages: row.messages_sent, bytes: row.bytes_sent })
    };
    summary.peers.iter().filter(|row| row.messages_sent > 0).filter_map(one).collect()
}

/// Extents of a Cartesian communicator with all ranks.
fn cartesian(summary: &Summary) -> Vec<u32> {
    let all = summary.ranks.len();
    let of = |dims: &Vec<(u32, bool)>| dims.iter().map(|(extent, _)| *extent).collect::<Vec<u32>>();
    let mut found = summary.comms.iter().map(|comm| of(&comm.facts.dims));
    found.find(|dims| dims.len() > 1 && dims.iter().map(|&d| d as usize).product::<usize>() == all).unwrap_or_default()
}

/// The number of each node in the topology: of its host, or in order.
fn node_numbers(topology: &Topology, nodes: &Nodes) -> anyhow::Result<Vec<u64>> {
    let of = |(at, name): (usize, &String)| match nodes.now.is_some() && !topology.is_by_rank() {
        true => topology.node(0, name),
        false => Some(at as u64).filter(|&node| node < topology.nodes()),
    };
    let found: Option<Vec<u64>> = nodes.names.iter().enumerate().map(of).collect();
    found.with_context(|| {
        format!(
            "the topology ({}) does not have all of the {}",
            topology.describe(),
            counted(nodes.names.len() as u64, "node(s)")
        )
    })
}

/// With a table for `MPI_Comm_split`, if processes can stay where they are.
fn with_header(mut files: Vec<File>, now: Option<&[u32]>, order: &[u32]) -> Vec<File> {
    if let Some(ranks) = now.and_then(|now| new_ranks(now, order)) {
        let list: Vec<String> = ranks.iter().map(u32::to_string).collect();
        files.push(File {
            launcher: "In the program",
            name: "new_rank.h",
            text: format!("static const int new_rank[] = {{{}}};\n", list.join(", ")),
            how: "MPI_Comm_split(MPI_COMM_WORLD, 0, new_rank[rank], &comm), with the job placed as in the run",
        });
    }
    files
}

/// Writes the files into a directory.
pub fn write(folder: &Path, files: &[File]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for file in files {
        let path = folder.join(file.name);
        std::fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn json(run: &Path, nodes: &Nodes, all_bytes: u64, all: &[Named], costs: &[Cost]) -> anyhow::Result<String> {
    let row = |(order, cost): (&Named, &Cost)| Row {
        order: order.id,
        what: order.what,
        between_nodes_bytes: cost.bytes,
        between_nodes_messages: cost.messages,
        busiest_node_bytes: cost.busiest_bytes,
        hop_bytes: cost.hop_bytes,
        nodes: order.nodes.clone(),
    };
    let orders = all.iter().zip(costs).map(row).collect();
    let output = Output { format: 1, run, nodes: &nodes.names, all_bytes, orders };
    Ok(serde_json::to_string_pretty(&output).context("cannot write JSON")? + "\n")
}

fn title(ranks: usize, nodes: &Nodes) -> String {
    format!(
        "ORDERS OF RANKS           {} on {}",
        counted(ranks as u64, "rank(s)"),
        counted(nodes.names.len() as u64, "node(s)")
    )
}

fn table(all: &[Named], costs: &[Cost], all_bytes: u64, style: Style) -> String {
    let has_hops = costs.iter().any(|cost| cost.hop_bytes.is_some());
    let columns = vec![
        words("", "order"),
        number("", "between nodes"),
        number("", "of all"),
        number("", "messages"),
        number("", "busiest node"),
        number("", if has_hops { "hop-bytes" } else { "" }),
        words("", " "),
    ];
    let row = |(order, cost): (&Named, &Cost)| {
        vec![
            Field::Text(order.id.to_owned()),
            Field::Bytes(cost.bytes),
            Field::Share(share(cost.bytes, all_bytes)),
            Field::Count(cost.messages),
            Field::Bytes(cost.busiest_bytes),
            cost.hop_bytes.map_or(Field::Empty, Field::Bytes),
            Field::Text(order.what.to_owned()),
        ]
    };
    Grid { columns, rows: all.iter().zip(costs).map(row).collect() }.text(style).join("\n")
}

/// Ranks that a line lists for each node, and nodes that it lists.
const MOST_RANKS: usize = 16;
const MOST_NODES: usize = 16;

fn placed(order: &Named, nodes: &Nodes) -> String {
    let of = |(node, name): (usize, &String)| {
        let ranks = order.nodes.iter().enumerate().filter(|(_, of)| **of as usize == node).map(|(rank, _)| rank as i32);
        format!("{name}: {}", rank_list(&ranks.collect::<Vec<_>>(), MOST_RANKS))
    };
    let listed: Vec<String> = nodes.names.iter().enumerate().take(MOST_NODES).map(of).collect();
    let more = nodes.names.len().saturating_sub(MOST_NODES);
    let end = if more > 0 { format!("; {more} more nodes") } else { String::new() };
    format!("{}: {}{end}", order.id, listed.join("; "))
}

fn of_rank(
    rank: u32,
    order: &Named,
    nodes: &Nodes,
    sent: &[Sent],
    hops: Option<&dyn Fn(u32, u32) -> u32>,
    style: Style,
) -> anyhow::Result<String> {
    let Some(&node) = order.nodes.get(rank as usize) else {
        bail!("the run has no rank {rank}; its ranks are 0 to {}", order.nodes.len().saturating_sub(1));
    };
    let mut partners: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for one in sent.iter().filter(|one| one.from == rank || one.to == rank) {
        let other = if one.from == rank { one.to } else { one.from };
        let (messages, bytes) = partners.entry(other).or_default();
        (*messages, *bytes) = (*messages + one.messages, *bytes + one.bytes);
    }
    let mut rows: Vec<(u32, u64, u64)> = partners.into_iter().map(|(other, (m, b))| (other, m, b)).collect();
    rows.sort_by_key(|&(other, _, bytes)| (std::cmp::Reverse(bytes), other));
    let columns = vec![
        number("", "partner"),
        words("", "node"),
        number("", "messages"),
        number("", "bytes"),
        number("", if hops.is_some() { "hops" } else { "" }),
    ];
    let row = |(other, messages, bytes): (u32, u64, u64)| {
        let of = order.nodes.get(other as usize).copied().unwrap_or(node);
        vec![
            Field::Number(other.into()),
            Field::Text(nodes.names[of as usize].clone()),
            Field::Count(messages),
            Field::Bytes(bytes),
            hops.map_or(Field::Empty, |hops| Field::Count(if of == node { 0 } else { hops(node, of).into() })),
        ]
    };
    let table = Grid { columns, rows: rows.into_iter().map(row).collect() }.text(style).join("\n");
    Ok(page(&[format!("rank {rank}, order {}: on {}", order.id, nodes.names[node as usize]), table], style))
}

/// Lines that fit; tables are already in lines.
fn page(parts: &[String], style: Style) -> String {
    let fit = |line: &str| style.shorten(style.clean(line).trim_end(), style.width);
    let of = |part: &String| match part.contains('\n') {
        true => part.lines().map(fit).collect::<Vec<_>>(),
        false => wrap(part, style.width).iter().map(|line| fit(line)).collect(),
    };
    parts.iter().flat_map(of).collect::<Vec<_>>().join("\n") + "\n"
}
