//! Orders as text.

use std::collections::BTreeMap;

use anyhow::bail;
use mpiscope_place::{File, Line, Named, between_packages, cost};
use mpiscope_query::{Incomplete, Layout, Reordering};
use mpiscope_run::topology::Topology;
use mpiscope_units::{bytes, counted, percent, rank_list, share};

use super::super::report::{grid, style::Style};
use super::lockstep::Lockstep;
use super::predicted::Predictions;
use super::verify::Verified;
use super::{Args, Rated, Weight};
use crate::wrap::wrap;
use grid::{Column, Field, Grid, number, spare, words};

/// Ranks that a line lists for each node, and nodes that it lists.
const MOST_RANKS: usize = 16;
const MOST_NODES: usize = 16;

/// All orders, and what is known of them.
pub struct Found<'a> {
    pub args: &'a Args,
    pub incomplete: &'a Incomplete,
    pub layout: &'a Layout,
    pub all: &'a [Rated],
    pub communicators: Vec<Reordering>,
    pub lockstep: Vec<Lockstep>,
    /// The phase of `--phase`.
    pub phase: Option<String>,
    pub predictions: Predictions,
    pub verified: Option<Verified>,
}

impl Found<'_> {
    /// Bytes that ranks send to each other.
    pub fn all_bytes(&self) -> u64 {
        self.layout.sent.iter().map(|one| one.bytes).sum()
    }

    /// The whole page; `written` are the files and lines of the chosen order.
    pub fn page(&self, chosen: &Named, written: (&[File], &[Line]), style: Style) -> String {
        let nodes = counted(self.layout.names.len() as u64, "node(s)");
        let ranks = counted(self.layout.ranks() as u64, "rank(s)");
        let mut lines: Vec<String> = self.incomplete.caveats.iter().map(|caveat| format!("{caveat}.")).collect();
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let phase = self.phase.as_ref().map_or(String::new(), |phase| format!(", in phase {phase}"));
        lines.extend([format!("ORDERS OF RANKS           {ranks} on {nodes}{phase}"), self.table(style)]);
        let loaded = self.rated(chosen.id).and_then(|rated| rated.loaded.as_ref());
        if let Some((_, link)) = loaded {
            lines.push(format!("Most loaded link, with {}: {link}", chosen.id));
        }
        lines.extend(self.collectives());
        lines.extend(self.predicted(style));
        if self.layout.packages > 1 {
            lines.push(self.within(chosen));
        }
        let ids: Vec<&str> = self.all.iter().map(|rated| rated.order.id).collect();
        lines.extend(self.lockstep.iter().map(|groups| groups.line(&ids)));
        lines.extend(self.communicators.iter().map(|one| self.reordered(one)));
        lines.extend(self.nothing_to_gain());
        if !self.incomplete.lacks_ranks {
            lines.push(self.placed(chosen));
        }
        if let Some(verified) = &self.verified {
            lines.extend(verified.lines(style));
            return page(&lines, style);
        }
        let (files, options) = written;
        lines.extend(options.iter().map(|line| format!("{}: {}", line.launcher, line.text)));
        lines.extend(files.iter().map(|file| format!("{}: {}", file.launcher, file.how)));
        lines.push(match &self.args.write {
            None if self.incomplete.lacks_ranks => {
                "There are no files for launchers, which need all ranks of the job.".to_owned()
            }
            Some(folder) => format!("The files are in {}.", folder.display()),
            None => {
                let run = self.args.run.display();
                format!("To write the files: mpiscope place {run} --order {} --write DIR", chosen.id)
            }
        });
        page(&lines, style)
    }

    fn rated(&self, id: &str) -> Option<&Rated> {
        self.all.iter().find(|rated| rated.order.id == id)
    }

    /// What an order saves: of the run's time, or, on other nodes than those of the run, of the time by slot.
    fn gain(&self, at: usize) -> Option<f64> {
        let answer = self.predictions.answer(at)?;
        if self.layout.now.is_some() {
            return Some(answer.gain);
        }
        let by_slot = self.all.iter().position(|rated| rated.order.id == "by-slot")?;
        let by_slot_ns = self.predictions.answer(by_slot)?.predicted_ns;
        Some(1.0 - share(answer.predicted_ns, by_slot_ns))
    }

    fn has_gains(&self) -> bool {
        (0..self.all.len()).any(|at| self.gain(at).is_some())
    }

    fn table(&self, style: Style) -> String {
        let head = |is: bool, head: &'static str| if is { head } else { "" };
        let has_hops = self.all.iter().any(|rated| rated.cost.hop_bytes.is_some());
        let is_predicted = self.predictions.answers.iter().any(Option::is_some);
        let by = self.args.by;
        let messages = if by == Weight::Messages { number("", "messages") } else { spare("", "messages") };
        let columns = vec![
            words("", "order"),
            Column { spare: true, ..words("", " ") },
            number("", "off node"),
            spare("", "of all"),
            messages,
            number("", head(by == Weight::Time, "time")),
            spare("", "busiest"),
            number("", head(has_hops, "hop-bytes")),
            number("", head(has_hops, "loaded link")),
            number("", head(is_predicted, "predicted")),
            number("", head(self.has_gains(), "gain")),
        ];
        let all_bytes = self.all_bytes();
        let row = |(at, rated): (usize, &Rated)| {
            let answer = self.predictions.answer(at);
            vec![
                Field::Text(rated.order.id.to_owned()),
                Field::Text(rated.order.what.to_owned()),
                Field::Bytes(rated.cost.bytes),
                Field::Share(share(rated.cost.bytes, all_bytes)),
                Field::Count(rated.cost.messages),
                Field::Time(rated.cost.time_ns),
                Field::Bytes(rated.cost.busiest_bytes),
                rated.cost.hop_bytes.map_or(Field::Empty, Field::Bytes),
                rated.loaded.as_ref().map_or(Field::Empty, |loaded| Field::Bytes(loaded.0)),
                answer.map_or(Field::Empty, |answer| Field::Time(answer.predicted_ns)),
                self.gain(at).map_or(Field::Empty, |gain| Field::Text(percent(gain))),
            ]
        };
        Grid { columns, rows: self.all.iter().enumerate().map(row).collect() }.text(style).join("\n")
    }

    /// How much of the bytes is of collective operations.
    fn collectives(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let (part, all) = (self.layout.collective_bytes, self.all_bytes());
        if part > 0 {
            lines.push(format!(
                "{} of the {} between ranks are of collective operations, by the algorithms that MPICH takes without settings.",
                percent(share(part, all)),
                bytes(all)
            ));
        }
        let left_out = self.layout.calls_left_out;
        if left_out > 0 {
            let calls = counted(left_out, "call(s)");
            lines.push(format!(
                "Not counted: {calls} of collective operations, of which the run does not tell who gets how much."
            ));
        }
        lines
    }

    /// What times and gains are about.
    fn predicted(&self, style: Style) -> Vec<String> {
        let mut lines = Vec::new();
        let predictions = &self.predictions;
        if predictions.answers.iter().any(Option::is_some) {
            let error = percent(predictions.error.abs());
            let whole = if self.phase.is_some() { "whole run" } else { "run" };
            lines
                .push(format!("Predicted times come from a model that replays this {whole} with an error of {error}."));
            if self.layout.now.is_none() {
                let recorded = Field::Time(predictions.recorded_ns).text(style);
                let gains = if self.has_gains() { "Gains are against by-slot on these nodes. " } else { "" };
                lines.push(format!(
                    "{gains}The run took {recorded} where it was recorded, which is none of these orders."
                ));
            }
        }
        if let Some(why) = &predictions.why_not {
            lines.push(format!("Not predicted: {why}."));
        }
        lines
    }

    /// Whether there is anything to choose, apart from how far messages travel.
    fn nothing_to_gain(&self) -> Option<String> {
        if self.all.iter().any(|rated| rated.cost.hop_bytes.is_some()) {
            return None;
        }
        let (fewer, what, of): (_, _, fn(&Rated) -> u64) = match self.args.by {
            Weight::Bytes => ("fewer", "bytes", |rated| rated.cost.bytes),
            Weight::Messages => ("fewer", "messages", |rated| rated.cost.messages),
            Weight::Time => ("less", "time of messages", |rated| rated.cost.time_ns),
        };
        let best = of(self.rated("best")?);
        if self.all.iter().all(|rated| of(rated) == best) {
            return Some(format!("All orders have the same {what} between nodes."));
        }
        let is_best = self.rated("recorded").is_some_and(|recorded| of(recorded) == best);
        is_best.then(|| format!("No order that was found has {fewer} {what} between nodes than that of the run."))
    }

    /// Ranks on the packages of their nodes.
    fn within(&self, order: &Named) -> String {
        let packages = self.layout.packages;
        let [filled, in_turn] = between_packages(&self.layout.sent, &order.nodes, packages).map(bytes);
        format!(
            "Within nodes of {packages} packages, with {}: {filled} between packages if ranks fill one after the other (Open MPI: --map-by core; Intel MPI: \
             I_MPI_PIN_PROCESSOR_LIST=allcores:map=bunch), {in_turn} if they are on them in turn (--map-by socket, Open MPI 5: package; Intel MPI: map=scatter).",
            order.id
        )
    }

    /// What the MPI did when it was free to reorder, and what the best order would have done.
    fn reordered(&self, one: &Reordering) -> String {
        let saved = |now: u64, before: u64| percent(1.0 - share(now, before));
        let (name, now, kept) = (&one.communicator, one.between_nodes_bytes, one.kept_between_nodes_bytes);
        let best = self.rated("best").map_or(now, |rated| cost(&self.layout.messages, &rated.order.nodes, None).bytes);
        let more = match best < now {
            true => format!("the order best would save {} of the bytes between nodes", saved(best, now)),
            false => "no better order was found".to_owned(),
        };
        match one.moved_ranks {
            0 => format!("{name}: the MPI did not reorder ranks (or the program did not allow it); {more}."),
            moved if now <= kept => {
                format!(
                    "{name}: the MPI moved {moved} ranks, which saves {} of the bytes between nodes; {more}.",
                    saved(now, kept)
                )
            }
            moved => {
                format!("{name}: the MPI moved {moved} ranks, and more bytes are between nodes than before; {more}.")
            }
        }
    }

    fn placed(&self, order: &Named) -> String {
        let of = |(node, name): (usize, &String)| {
            let on_node = order.nodes.iter().enumerate().filter(|(_, of)| **of as usize == node);
            let ranks: Vec<i32> = on_node.map(|(rank, _)| rank as i32).collect();
            format!("{name}: {}", rank_list(&ranks, MOST_RANKS))
        };
        let names = &self.layout.names;
        let mut used: Vec<u32> = order.nodes.clone();
        used.sort_unstable();
        used.dedup();
        let with_ranks = names.iter().enumerate().filter(|(node, _)| used.binary_search(&(*node as u32)).is_ok());
        let listed: Vec<String> = with_ranks.take(MOST_NODES).map(of).collect();
        let more = used.len().saturating_sub(MOST_NODES);
        let end = if more > 0 { format!("; {more} more nodes") } else { String::new() };
        format!("{}: {}{end}", order.id, listed.join("; "))
    }
}

/// What is near a rank or a node in an order.
pub struct Near<'a> {
    pub layout: &'a Layout,
    pub topology: Option<&'a Topology>,
    pub order: &'a Named,
}

impl Near<'_> {
    /// Where one rank is, and its partners.
    pub fn of_rank(&self, rank: u32, style: Style) -> anyhow::Result<String> {
        let Some(&node) = self.order.nodes.get(rank as usize) else {
            bail!("the run has no rank {rank}; its ranks are 0 to {}", self.order.nodes.len().saturating_sub(1));
        };
        let title = format!("rank {rank}, order {}: on {}", self.order.id, self.node(node));
        Ok(page(&[title, self.partners(node, |other| other == rank, style)], style))
    }

    /// The same for the node of a torus with these coordinates, or the rank of the process grid.
    pub fn of_place(&self, coordinates: &[u32], style: Style) -> anyhow::Result<String> {
        let text: Vec<String> = coordinates.iter().map(u32::to_string).collect();
        let text = text.join(",");
        if let Some(topology) = self.topology.filter(|topology| !topology.has_switches()) {
            let wanted = format!("({text})");
            let mut nodes = 0..self.layout.names.len() as u32;
            let Some(node) = nodes.find(|&node| self.layout.place(topology, node) == wanted) else {
                bail!("no node of the job is at {wanted} of the {}", topology.describe());
            };
            let ranks: Vec<i32> = (0..).zip(&self.order.nodes).filter(|(_, of)| **of == node).map(|of| of.0).collect();
            let listed = rank_list(&ranks, MOST_RANKS);
            let title = format!("{}, order {}: rank(s) {listed}", self.node(node), self.order.id);
            let is_here = |rank: u32| self.order.nodes.get(rank as usize) == Some(&node);
            return Ok(page(&[title, self.partners(node, is_here, style)], style));
        }
        let dims = &self.layout.dims;
        if dims.is_empty() {
            bail!(
                "--coordinates needs a torus (--topology) or a process grid; this run has no Cartesian communicator with all ranks: give --grid"
            );
        }
        if dims.len() != coordinates.len() || dims.iter().zip(coordinates).any(|(extent, at)| at >= extent) {
            let dims: Vec<String> = dims.iter().map(u32::to_string).collect();
            bail!("the process grid of {} has no place {text}", dims.join("x"));
        }
        let rank = dims.iter().zip(coordinates).fold(0, |rank, (extent, at)| rank * extent + at);
        self.of_rank(rank, style)
    }

    fn node(&self, node: u32) -> String {
        let name = &self.layout.names[node as usize];
        let place = self.topology.map(|topology| format!(", {}", self.layout.place(topology, node)));
        format!("{name}{}", place.unwrap_or_default())
    }

    /// Who exchanges messages with ranks on a node.
    fn partners(&self, node: u32, is_own: impl Fn(u32) -> bool, style: Style) -> String {
        let mut partners: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for one in self.layout.sent.iter().filter(|one| is_own(one.from) != is_own(one.to)) {
            let other = if is_own(one.from) { one.to } else { one.from };
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
            number("", if self.topology.is_some() { "hops" } else { "" }),
        ];
        let row = |(other, messages, bytes): (u32, u64, u64)| {
            let of = self.order.nodes.get(other as usize).copied().unwrap_or(node);
            vec![
                Field::Number(other.into()),
                Field::Text(self.node(of)),
                Field::Count(messages),
                Field::Bytes(bytes),
                self.topology
                    .map_or(Field::Empty, |topology| Field::Count(self.layout.hops(topology, node, of).into())),
            ]
        };
        Grid { columns, rows: rows.into_iter().map(row).collect() }.text(style).join("\n")
    }
}

/// Lines that fit; tables are already in lines.
pub fn page(parts: &[String], style: Style) -> String {
    let fit = |line: &str| style.shorten(style.clean(line).trim_end(), style.width);
    let of = |part: &String| match part.contains('\n') {
        true => part.lines().map(fit).collect::<Vec<_>>(),
        false => wrap(part, style.width).iter().map(|line| fit(line)).collect(),
    };
    parts.iter().flat_map(of).collect::<Vec<_>>().join("\n") + "\n"
}
