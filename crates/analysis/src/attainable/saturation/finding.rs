//! What a saturated path leads to: its rules and its finding.

use std::collections::{BTreeMap, BTreeSet};

use mpiscope_store::{CallInfo, Dimensions, RankId};
use mpiscope_units::{count, percent, time};
use rustc_hash::FxHashSet;

use super::path::Path;
use crate::explanation::{Confidence, Finding, Relations, Remedy, Rule, Scope, Value, share};
use crate::quality::Top;

const NETWORK: Rule = Rule {
    id: "saturated_network",
    what: "Several messages at once leave or reach a host, and together they are no faster than one alone.",
    formula: "Needs a machine profile with a ping-pong between hosts. For each host and direction: while at least two messages are in \
              transfer, their work (the time that they take alone) per time. A path with room for all of them has the work of \
              several at once; here it has at most that of 1.3. cost = Σ (time of a message − the same alone) / messages that \
              complete in the same call, for the calls of the receiver, and of a sender that waits for the end of the transfer. \
              Fair sharing of links: Velho & Legrand (SIMUTools 2009).",
    threshold: "Work of 0.7 to 1.3 at once, 16 messages, ≥ 1 % of rank time and ≥ 1 ms.",
    doubt: "The profile is that of an idle network: traffic of other jobs looks the same. A sender that computes during a transfer \
            without progress also makes messages slow, but then the path has less work than 0.7.",
    saving: "The run in which these calls take less time by the cost: what a path with room for all messages would save.",
    relations: Relations::IN_CALLS,
};

const MEMORY: Rule = Rule {
    id: "saturated_memory",
    what: "The ranks of a host copy as many bytes at once as its memory can: messages and exchanges among them are no faster than that.",
    formula: "Needs a machine profile with the experiments memory and pingpong. For each host: messages of at least 32 KiB between its \
              ranks, and MPI_Allgather(v) and MPI_Alltoall(v, w) of its ranks alone. While at least two ranks receive, their work per \
              time: the time of one copy of these bytes with all ranks copying at once, by working set, divided by these ranks, \
              where a copy of all at once takes 1.3 times as long as one alone, or longer. A memory that does nothing else has a work \
              of 1. cost = Σ (time of a message or of a rank in an operation − the same \
              alone). Effective bandwidth against the memory's: Prism User's Guide, Sun MPI case studies.",
    threshold: "Work of 0.7 to 1.3 at once, 16 messages or calls, ≥ 1 % of rank time and ≥ 1 ms.",
    doubt: "Each byte counts as one copy. An MPI that copies twice, into shared memory and out of it, saturates the memory at half of \
            this work, and is not named. Ranks that compute meanwhile use the same memory.",
    saving: "The run in which these calls take less time by the cost: what a memory with room for all copies would save.",
    relations: Relations::IN_CALLS,
};

/// The rules of this folder.
pub(crate) const RULES: &[Rule] = &[NETWORK, MEMORY];

/// Which part of a host.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Out,
    Into,
    Memory,
}

/// What the words of a finding contain.
struct Numbers<'a> {
    /// The hosts.
    shown: &'a str,
    together: f64,
    work: f64,
    count: String,
    bytes: String,
    longer: String,
}

struct Words {
    title: String,
    text: String,
    advice: &'static str,
}

impl Side {
    fn rule(self) -> &'static Rule {
        if self == Side::Memory { &MEMORY } else { &NETWORK }
    }

    fn words(self, of: &Numbers) -> Words {
        let Numbers { shown, together, work, count, bytes, longer } = of;
        if self == Side::Memory {
            return Words {
                title: format!("The memory of {shown} is saturated: {together:.1} ranks copy at once"),
                text: format!(
                    "{count} times, a rank of {shown} receives {bytes} on average from the others while more ranks do. Together \
                     they use {} of what the memory can copy, so they take {longer} longer than alone.",
                    percent(*work)
                ),
                advice: "Move fewer bytes between ranks of a host: a window of MPI_Win_allocate_shared or threads let them read \
                         the data where they are, and blocks that stay in the caches do not need the memory. Ranks on more \
                         hosts share more memories. Another algorithm or setting of the MPI does not make the memory faster.",
            };
        }
        let side = if self == Side::Out { "out of" } else { "into" };
        Words {
            title: format!("The network {side} {shown} is saturated: {together:.1} messages at once"),
            text: format!(
                "{count} messages of {bytes} on average share the network {side} {shown} with others. {together:.1} at once move \
                 only as much as {work:.1} alone, so they take {longer} longer than alone."
            ),
            advice: "Move fewer bytes between these hosts: mpiscope place RUN lists orders of ranks and their bytes between hosts. \
                     Or start the messages earlier, so that they move while ranks compute. Another order or number of the same \
                     messages does not make the network faster.",
        }
    }
}

/// The saturated paths of one side.
pub(super) struct Saturated<'a> {
    side: Side,
    /// With the number of the host.
    pub paths: Vec<(u32, &'a Path)>,
    pub cost_ns: u64,
}

impl<'a> Saturated<'a> {
    pub fn rule(&self) -> &'static Rule {
        self.side.rule()
    }

    pub fn of(paths: &'a [Path], side: Side) -> Saturated<'a> {
        let saturated = (0..).zip(paths).filter(|(_, path)| path.is_saturated());
        let paths: Vec<(u32, &Path)> = saturated.collect();
        let cost_ns: f64 = paths.iter().map(|(_, path)| path.slowed.cost_ns).sum();
        Saturated { side, paths, cost_ns: cost_ns as u64 }
    }

    pub fn finding(
        &self,
        hosts: &[u32],
        (dimensions, facts): (&Dimensions, &[Vec<CallInfo>]),
        scope: &Scope,
    ) -> Finding {
        let Saturated { side, paths: found, cost_ns } = self;
        let cost_ns = *cost_ns;
        let sum = |of: fn(&Path) -> f64| found.iter().map(|(_, path)| of(path)).sum::<f64>();
        let shared_ns = sum(|path| path.shared_ns as f64);
        let (together, work) = (sum(|path| path.together_ns) / shared_ns, sum(|path| path.work_ns) / shared_ns);
        let messages: u64 = found.iter().map(|(_, path)| path.slowed.messages).sum();
        let bytes: u64 = found.iter().map(|(_, path)| path.slowed.bytes).sum();
        let names = found.iter().filter_map(|(host, _)| {
            let rank = hosts.iter().position(|of| of == host)?;
            dimensions.ranks.get(rank).map(|row| row.host.as_str())
        });
        let names: Vec<&str> = names.collect();
        let shown = match names.len() {
            0..=3 => names.join(", "),
            more => format!("{} and {} other hosts", names[..2].join(", "), more - 2),
        };
        let calls: FxHashSet<(u32, u32)> =
            found.iter().flat_map(|(_, path)| path.slowed.calls.iter().copied()).collect();
        let site = |&(rank, of): &(u32, u32)| Some(dimensions.site(facts.get(rank as usize)?.get(of as usize)?.site));
        let sites: BTreeSet<&str> = calls.iter().filter_map(site).filter(|site| !site.is_empty()).collect();
        let by_rank = || found.iter().flat_map(|(_, path)| &path.slowed.by_rank_ns);
        let most_ns = by_rank().map(|(_, ns)| *ns).fold(0.0, f64::max);
        let ranks = by_rank().filter(|(_, ns)| **ns >= most_ns / 20.0).map(|(&rank, _)| dimensions.rank(RankId(rank)));
        let ranks: BTreeSet<i32> = ranks.collect();
        let mut top = Top::default();
        found.iter().for_each(|(_, path)| top.merge(&path.slowed.top));
        let Words { title, text, advice } = side.words(&Numbers {
            shown: &shown,
            together,
            work,
            count: count(messages),
            bytes: mpiscope_units::bytes(bytes / messages.max(1)),
            longer: time(cost_ns),
        });
        Finding {
            title,
            text,
            advice: advice.to_owned(),
            cost_ns,
            share: share(cost_ns, scope),
            is_bound: true,
            confidence: Confidence::Medium,
            ranks: ranks.into_iter().collect(),
            sites: sites.into_iter().map(str::to_owned).collect(),
            remedy: Some(Remedy::quicker(calls.into_iter(), cost_ns)),
            evidence: BTreeMap::from([
                ("messages", Value::Int(messages)),
                ("bytes", Value::Int(bytes)),
                ("at_once", Value::Float(together)),
                ("work_at_once", Value::Float(work)),
                ("shared_ns", Value::Int(shared_ns as u64)),
                ("hosts", Value::List(names.iter().map(|name| Value::Text((*name).to_owned())).collect())),
            ]),
            proof: top.proofs(dimensions),
            ..Finding::of(side.rule())
        }
    }
}
