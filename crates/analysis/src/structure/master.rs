//! One rank for which all other ranks wait in turn.

use std::collections::BTreeMap;

use mpiscope_units::{count, percent, time};
use rustc_hash::FxHashMap;

use super::registry::{Context, StructureRules};
use super::thresholds::{share, share_of};
use crate::explanation::{
    Confidence, Explanation, Finding, Proof, Relations, Remedy, Rule, Value, Wait, WaitKind, WhyLate,
};

const MASTER: Rule = Rule {
    id: "master_bottleneck",
    what: "One rank for which nearly all other ranks wait in turn.",
    formula: "Waits for messages (late_sender, wrong_order…, late_receiver, wait_for_progress) by the rank that \
              causes them: one rank causes half of them, on three quarters of the other ranks, and receives messages from \
              as many. Cost: these waits.",
    threshold: "5 % of the rank time and 1 ms; 3 ranks.",
    doubt: "The rank may only pass on delays of other ranks: see serialisation_chain.",
    saving: "The run in which the rank answers at once: an upper bound.",
    relations: Relations { why_late: Some(WhyLate::Master), ..Relations::LATE },
};

/// The rules of this file.
pub(super) const RULES: StructureRules =
    StructureRules { rules: &[MASTER], find: |context, explanation| context.causes.find(context, explanation) };

/// Share of the rank time that these waits must cost: a rank that is a little late to some receives is no bottleneck.
const LEAST: f64 = 0.05;
/// Share of the waits for messages that one rank must cause.
pub(crate) const LEAST_CAUSED: f64 = 0.5;
/// Share of the other ranks that must wait for it.
pub(crate) const LEAST_WAITING: f64 = 0.75;
const PROOFS: usize = 16;

/// Whether a wait is one for a message.
pub(crate) fn is_for_message(kind: WaitKind) -> bool {
    matches!(
        kind,
        WaitKind::LateSender
            | WaitKind::WrongOrderSameSource
            | WaitKind::WrongOrderDifferentSource
            | WaitKind::LateReceiver
            | WaitKind::WaitForProgress
    )
}

/// Waits for messages by the rank that causes them.
#[derive(Default)]
pub(crate) struct Causes {
    /// (cause, waiting rank) → ns, times.
    pairs: FxHashMap<(u32, u32), (u64, u64)>,
    total_ns: u64,
    longest: FxHashMap<u32, Longest>,
    /// (cause, its place) → ns.
    places: FxHashMap<(u32, u32), u64>,
}

/// The longest waits for a rank.
#[derive(Default)]
struct Longest {
    waits: Vec<Wait>,
    /// Length of the shortest of them, once there are [`PROOFS`].
    least_ns: u64,
}

impl Longest {
    fn add(&mut self, wait: &Wait) {
        if self.waits.len() < PROOFS {
            self.waits.push(*wait);
        } else if self.least_ns >= wait.ns() {
            return;
        } else if let Some(least) = self.waits.iter_mut().min_by_key(|w| w.ns()) {
            *least = *wait;
        }
        if self.waits.len() == PROOFS {
            self.least_ns = self.waits.iter().map(Wait::ns).min().unwrap_or(0);
        }
    }
}

impl Causes {
    pub fn add_waits(&mut self, waits: &[Wait]) {
        for wait in waits.iter().filter(|w| is_for_message(w.kind)) {
            self.total_ns += wait.ns();
            let Some(cause) = wait.cause else { continue };
            let pair = self.pairs.entry((cause.rank.0, wait.rank.0)).or_default();
            *pair = (pair.0 + wait.ns(), pair.1 + 1);
            *self.places.entry((cause.rank.0, cause.facts)).or_default() += wait.ns();
            let longest = self.longest.entry(cause.rank.0).or_default();
            longest.add(wait);
        }
    }

    /// Finding `master_bottleneck`.
    fn find(&self, scene: &Context<'_>, explanation: &mut Explanation) {
        let (graph, facts) = (scene.graph, scene.facts);
        let mut by_cause: BTreeMap<u32, (u64, u64, u64)> = BTreeMap::new();
        for (&(cause, _), &(ns, times)) in &self.pairs {
            let sum = by_cause.entry(cause).or_default();
            *sum = (sum.0 + ns, sum.1 + 1, sum.2 + times);
        }
        let others = scene.sequences.len().saturating_sub(1);
        let Some((&hub, &(cost_ns, waiting, times))) = by_cause.iter().max_by_key(|(_, s)| s.0) else { return };
        let partners = |rank: usize| {
            let to = graph.edges.get(rank).map_or(0, Vec::len);
            let from = graph.edges.iter().filter(|list| list.iter().any(|e| e.to as usize == rank)).count();
            to.max(from)
        };
        // A rank that only sends distributes data: hot_sender covers this. A master also receives from the others.
        let takes = graph.edges.iter().filter(|list| list.iter().any(|e| e.to == hub && e.messages > 0)).count();
        let is_hub = others >= 2
            && takes as f64 >= LEAST_WAITING * others as f64
            && cost_ns as f64 >= LEAST_CAUSED * self.total_ns as f64
            && waiting as f64 >= LEAST_WAITING * others as f64
            && partners(hub as usize) as f64 >= LEAST_WAITING * others as f64;
        if !is_hub || cost_ns < share_of(scene.scope, LEAST) {
            return;
        }
        let rank = hub as usize;
        let row = &scene.dimensions.ranks[rank];
        let name = row.world_rank;
        let time_ns = row.rows_time_ns();
        let mpi_ns = scene.sequences[rank].mpi_ns;
        let received: u64 = graph.edges.iter().flatten().filter(|e| e.to == hub).map(|e| e.messages).sum();
        let each_ns = time_ns / received.max(1);
        let world = |r: u32| scene.dimensions.ranks.get(r as usize).map_or(-1, |r| r.world_rank);
        let mut paying: Vec<(u64, i32)> =
            self.pairs.iter().filter(|(p, _)| p.0 == hub).map(|(p, s)| (s.0, world(p.1))).collect();
        paying.sort_by_key(|&(ns, r)| (std::cmp::Reverse(ns), r));
        let mut places: Vec<(u64, u32)> =
            self.places.iter().filter(|(p, _)| p.0 == hub).map(|(p, ns)| (*ns, p.1)).collect();
        places.sort_unstable_by(|a, b| b.cmp(a));
        let mut sites: Vec<String> = places
            .iter()
            .filter_map(|&(_, f)| facts.get(rank)?.get(f as usize))
            .map(|f| scene.dimensions.site(f.site).to_owned())
            .filter(|s| !s.is_empty())
            .collect();
        sites.dedup();
        sites.truncate(4);
        let mut longest = self.longest.get(&hub).map(|l| l.waits.clone()).unwrap_or_default();
        longest.sort_by_key(|w| std::cmp::Reverse(w.ns()));
        explanation.findings.push(Finding {
            title: format!("{waiting} of the {others} other ranks wait for rank {name}, one after another"),
            text: format!(
                "Rank {name} causes {} of all waiting for messages: {} in {} waits of {waiting} ranks. It receives {} messages, \
                 one every {} on average, and spends {} of its time in MPI.",
                percent(mpiscope_units::share(cost_ns, self.total_ns)),
                time(cost_ns),
                count(times),
                count(received),
                time(each_ns),
                percent(mpiscope_units::share(mpi_ns, time_ns)),
            ),
            advice: format!(
                "Give rank {name} less to do for each message: distribute larger pieces of work, let it only distribute work and \
                 not compute, request the next piece before the last one is finished, or use several masters."
            ),
            cost_ns,
            share: share(cost_ns, scene.scope),
            confidence: Confidence::High,
            ranks: paying.into_iter().map(|p| p.1).collect(),
            cause_ranks: vec![name],
            sites,
            regions: Vec::new(),
            iterations: None,
            evidence: BTreeMap::from([
                ("waiting_ranks", Value::Int(waiting)),
                ("waits", Value::Int(times)),
                ("wait_ns", Value::Int(cost_ns)),
                ("share_of_message_waits", Value::Float(cost_ns as f64 / self.total_ns.max(1) as f64)),
                ("messages_received", Value::Int(received)),
                ("time_per_message_ns", Value::Int(each_ns)),
                ("mpi_share", Value::Float(mpi_ns as f64 / time_ns.max(1) as f64)),
            ]),
            // At best, the master replies immediately.
            is_bound: true,
            remedy: Some(Remedy::computing(scene.sequences.len(), |r| if r == rank { 0.0 } else { 1.0 })),
            proof: longest
                .iter()
                .map(|w| Proof { rank: world(w.rank.0), start_ns: w.start_ns, end_ns: w.end_ns, row: Some(w.row) })
                .collect(),
            ..Finding::of(&MASTER)
        });
    }
}
