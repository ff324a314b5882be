//! Chains of waits: each rank waits for one that is itself waiting, for a message or for a receive.

use std::collections::BTreeMap;
use std::sync::Arc;

use mpiscope_store::{BEHIND, Batch, Behind, CallInfo};
use mpiscope_units::{count, time};
use rustc_hash::FxHashSet;

use super::fill::Waits;
use super::meetings::often;
use super::registry::{Context, StructureRules};
use super::thresholds::share;
use crate::explanation::{
    Alternative, Confidence, Explanation, Finding, Proof, Relations, Remedy, Rule, Scope, Spread, Value, Wait,
    WaitKind, WhyLate,
};

pub(super) const PIPELINE_FILL: Rule = Rule {
    id: "pipeline_fill",
    what: "Work passes through the ranks one after another; each rank waits until the previous one has computed its piece.",
    formula: "Chains as in serialisation_chain, for which waiting for data is more than half of the cost. Fill time: from \
              the moment when the first rank of a chain starts to wait until its last rank continues. Two or three ranks: waits of 20 µs and \
              more for data in rows of receives with 100 µs of computing or more between them, from ranks that send in such rows, at most \
              five for each four rows. Saving: replay with pieces a quarter as long.",
    threshold: "1 % of the rank time and 1 ms; 3 chains. Two or three ranks: the saving, too.",
    doubt: "The replay does not count the latency of additional, smaller messages: with pieces of a few µs, less is saved.",
    saving: "The run with pieces a quarter as long. The alternative: passing data on does not wait for the receive.",
    relations: Relations { why_late: Some(WhyLate::Chain), ..Relations::LATE },
};

const SERIALISATION: Rule = Rule {
    id: "serialisation_chain",
    what: "A chain of waits, each for a rank that is itself waiting.",
    formula: "A wait for a sender or receiver that itself waited in that time continues the chain of that rank. Cost: the overlap \
              of both waits, for chains of at least 4 ranks (indirect waiting; Böhme et al., ICPP 2010, call it propagated \
              delay).",
    threshold: "1 % of the rank time and 1 ms; 3 chains.",
    doubt: "Its cost is part of that of late_sender and late_receiver: it explains their waits. A sweep needs this order.",
    saving: "The run in which no rank waits in these sends.",
    relations: Relations { why_late: Some(WhyLate::Chain), ..Relations::LATE },
};

/// The rules of this file.
pub(super) const RULES: StructureRules = StructureRules {
    rules: &[PIPELINE_FILL, SERIALISATION],
    find: |context, explanation| context.chains.find(context, explanation),
};

/// Ranks that a chain must have.
pub(crate) const LEAST_RANKS: u32 = 4;
/// Chains before it is a habit.
pub(crate) const LEAST_TIMES: u64 = 3;
/// Pieces that the advice cuts each piece of work of a pipeline into.
pub(super) const PIECES: u64 = 4;
/// Steps of the worst chain that are kept.
const STEPS: usize = 16;

/// The last wait of a rank, and the chain that it ends.
#[derive(Clone, Copy)]
struct Link {
    start_ns: u64,
    end_ns: u64,
    /// Ranks up to this one.
    ranks: u32,
    /// When the first rank of the chain was free to begin.
    begin_ns: u64,
    /// The longest single step.
    step_ns: u64,
    row: u64,
    /// Index of the rank before.
    from: u32,
}

/// Chains of waits for messages.
#[derive(Default)]
pub(crate) struct Chains {
    last: Vec<Option<Link>>,
    behind: Behind,
    /// Waits that earlier waits may still precede.
    waiting: Vec<Wait>,
    /// Time that ranks waited while the one that they waited for was waiting itself.
    indirect_ns: u64,
    spread: Spread,
    by_rank: BTreeMap<u32, u64>,
    chains: u64,
    longest: u32,
    worst: Option<Worst>,
    by_facts: BTreeMap<(u32, u32), u64>,
    /// What of it is waiting for data, and not for a receive.
    for_data_ns: u64,
    /// Waits for data, whatever the length of the chain.
    short: Waits,
    /// Time from the start of chains until their last rank continues, for chains that wait for data, and their number.
    fill_ns: u64,
    fills: u64,
}

struct Worst {
    ranks: u32,
    begin_ns: u64,
    end_ns: u64,
    step_ns: u64,
    steps: Vec<(u32, Link)>,
}

impl Chains {
    pub fn new(scope: &Scope) -> Chains {
        Chains { spread: Spread::new(scope), ..Chains::default() }
    }

    pub fn add_waits(&mut self, waits: &[Wait], batch: &Batch) {
        self.last.resize(batch.ranks.len(), None);
        // Blocking sends round a ring make the same staircase as receives.
        let is_link = |k: WaitKind| {
            use WaitKind::{LateReceiver, LateSender, WrongOrderDifferentSource, WrongOrderSameSource};
            matches!(k, LateSender | LateReceiver | WrongOrderSameSource | WrongOrderDifferentSource)
        };
        self.waiting.extend(waits.iter().filter(|w| is_link(w.kind) && w.cause.is_some()));
        self.behind.push(batch);
        let until_ns = if batch.is_last { u64::MAX } else { self.behind.moment(BEHIND, 1) };
        // Not for a few: all that wait are put in order.
        if !batch.is_last && self.behind.rows_until(until_ns) < BEHIND / 2 {
            return;
        }
        self.behind.forget(until_ns);
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|w| (w.end_ns, w.rank, w.start_ns));
        let ready = waiting.partition_point(|w| w.end_ns < until_ns || until_ns == u64::MAX);
        for wait in waiting.drain(..ready) {
            self.step(&wait);
        }
        self.waiting = waiting;
    }

    fn step(&mut self, wait: &Wait) {
        let Some(cause) = wait.cause else { return };
        if wait.kind == WaitKind::LateSender {
            self.short.add(wait);
        }
        let at = wait.rank.0 as usize;
        if at >= self.last.len() {
            return;
        }
        // The other was waiting while this rank was, and came afterwards.
        let before = self.last.get(cause.rank.0 as usize).copied().flatten();
        let before = before.filter(|b| b.end_ns <= cause.at_ns.max(wait.end_ns) && b.end_ns > wait.start_ns);
        let mut link = Link {
            start_ns: wait.start_ns,
            end_ns: wait.end_ns,
            ranks: 2,
            begin_ns: wait.start_ns,
            step_ns: wait.ns(),
            row: wait.row,
            from: cause.rank.0,
        };
        if let Some(b) = before {
            let step_ns = wait.end_ns.saturating_sub(b.end_ns);
            link = Link { ranks: b.ranks + 1, begin_ns: b.begin_ns, step_ns: b.step_ns.max(step_ns), ..link };
            let indirect = b.end_ns - wait.start_ns.max(b.start_ns).min(b.end_ns);
            if link.ranks >= LEAST_RANKS {
                self.indirect_ns += indirect;
                self.spread.add(b.end_ns - indirect, b.end_ns);
                *self.by_rank.entry(wait.rank.0).or_default() += indirect;
                *self.by_facts.entry((wait.rank.0, wait.facts)).or_default() += indirect;
                self.fill(wait, &link, &b, indirect);
            }
            // Counted when it becomes long enough.
            self.chains += u64::from(link.ranks == LEAST_RANKS);
            self.longest = self.longest.max(link.ranks);
        }
        self.last[at] = Some(link);
        let span = |w: &Worst| (w.ranks, w.end_ns - w.begin_ns);
        if link.ranks >= LEAST_RANKS
            && self.worst.as_ref().is_none_or(|w| span(w) < (link.ranks, link.end_ns - link.begin_ns))
        {
            self.worst = Some(self.path(wait.rank.0, link));
        }
    }

    /// A chain is longer by one rank: a pipeline fills until its last rank has the first piece.
    fn fill(&mut self, wait: &Wait, link: &Link, before: &Link, indirect_ns: u64) {
        if wait.kind == WaitKind::LateReceiver {
            return;
        }
        self.for_data_ns += indirect_ns;
        let until = |link: &Link| link.end_ns - link.begin_ns;
        if link.ranks == LEAST_RANKS {
            self.fills += 1;
            self.fill_ns += until(link);
        } else {
            self.fill_ns += until(link).saturating_sub(until(before));
        }
    }

    /// Waits for data, one rank after the other: a pipeline.
    fn is_pipeline(&self) -> bool {
        2 * self.for_data_ns > self.indirect_ns
    }

    /// The run with smaller pieces, or with sends that do not block.
    fn remedy(&self, calls: Arc<FxHashSet<(u32, u32)>>) -> Remedy {
        let calls = Some(calls);
        match self.is_pipeline() {
            true => Remedy { pieces: Some(PIECES), calls, ..Remedy::default() },
            false => Remedy { without: vec![WaitKind::LateReceiver], calls, ..Remedy::default() },
        }
    }

    /// What can be done where a rank does not need what it receives for what it hands on.
    fn alternatives(&self, calls: &Arc<FxHashSet<(u32, u32)>>) -> Vec<Alternative> {
        let remedy =
            Remedy { without: WaitKind::OF_MESSAGES.to_vec(), calls: Some(Arc::clone(calls)), ..Remedy::default() };
        let advice =
            "If what a rank hands on does not depend on what it receives, send it first, and receive after that.";
        match self.is_pipeline() {
            true => vec![Alternative { advice: advice.into(), savable_ns: 0, remedy }],
            false => Vec::new(),
        }
    }

    /// The steps of a chain, from its end.
    fn path(&self, rank: u32, link: Link) -> Worst {
        let mut steps = vec![(rank, link)];
        let (mut at, mut left) = (link.from, link.ranks.saturating_sub(2));
        while let Some(Some(before)) = self.last.get(at as usize).copied()
            && left > 0
            && steps.len() < STEPS
        {
            steps.push((at, before));
            at = before.from;
            left -= 1;
        }
        steps.reverse();
        Worst { ranks: link.ranks, begin_ns: link.begin_ns, end_ns: link.end_ns, step_ns: link.step_ns, steps }
    }

    /// Findings `pipeline_fill` and `serialisation_chain`.
    fn find(&self, scene: &Context<'_>, explanation: &mut Explanation) {
        let facts = scene.facts;
        let Some(worst) = &self.worst else { return self.short.find(scene, explanation) };
        if self.chains < LEAST_TIMES || self.indirect_ns < scene.scope.threshold_ns() {
            return;
        }
        let world = |r: u32| scene.dimensions.ranks.get(r as usize).map_or(-1, |r| r.world_rank);
        let site = |rank: u32, f: u32| {
            let facts = facts.get(rank as usize)?.get(f as usize)?;
            Some(scene.dimensions.site(facts.site).to_owned()).filter(|s| !s.is_empty())
        };
        let mut places: BTreeMap<String, u64> = BTreeMap::new();
        for (&(rank, f), &ns) in &self.by_facts {
            if let Some(site) = site(rank, f) {
                *places.entry(site).or_default() += ns;
            }
        }
        let mut sites: Vec<(u64, String)> = places.into_iter().map(|(s, ns)| (ns, s)).collect();
        sites.sort_by(|a, b| b.cmp(a));
        let mut paying: Vec<(u64, i32)> = self.by_rank.iter().map(|(&r, &ns)| (ns, world(r))).collect();
        paying.sort_by_key(|&(ns, r)| (std::cmp::Reverse(ns), r));
        let (chain_ns, cost_ns) = (worst.end_ns - worst.begin_ns, self.indirect_ns);
        let head = worst.steps.first().map(|(_, l)| world(l.from));
        let way: Vec<String> =
            head.into_iter().chain(worst.steps.iter().map(|s| world(s.0))).map(|r| r.to_string()).collect();
        let turns = scene.main.map(|l| l.found.count.max(1));
        // Fewer than one in ten iterations: the rate says nothing about an iteration.
        let how_often = match turns.map(|n| self.chains as f64 / n as f64) {
            Some(n) if n >= 0.1 => format!(", {}", often(self.chains, n)),
            _ => String::new(),
        };
        let place = sites.first().map_or(String::new(), |s| format!(" at {}", s.1));
        let rule = if self.is_pipeline() { &PIPELINE_FILL } else { &SERIALISATION };
        let each_ns = self.fill_ns / self.fills.max(1);
        let title = match self.is_pipeline() {
            // A chain may return to a rank.
            true => fill_title((self.longest as usize).min(scene.dimensions.ranks.len()), each_ns, self.fills),
            false => format!(
                "Ranks wait for each other in chains: {} chains of up to {} waits",
                count(self.chains),
                self.longest - 1
            ),
        };
        let advice = match self.is_pipeline() {
            true => fill_advice(),
            false => "Do not block in these sends: send with MPI_Isend and complete it after the receive, use \
                      MPI_Sendrecv, or let even ranks send first and odd ranks receive first. If each rank only forwards \
                      what it received, use a collective operation (MPI_Bcast, MPI_Scan)."
                .to_owned(),
        };
        let calls = calls_at_places(self.by_facts.keys().copied(), facts);
        explanation.costs.push((rule.id, self.spread.clone()));
        explanation.findings.push(Finding {
            title,
            text: format!(
                "A rank waits{place} for one that is itself waiting, {} times in a chain of {} or more waits{how_often}. The \
                 longest chain ({}) lasted {}; its longest single step took {}. In total, ranks waited {} for ranks that were \
                 themselves waiting.",
                count(self.chains),
                LEAST_RANKS - 1,
                way.join(" → "),
                time(chain_ns),
                time(worst.step_ns),
                time(cost_ns),
            ),
            advice,
            cost_ns,
            share: share(cost_ns, scene.scope),
            confidence: Confidence::Medium,
            ranks: paying.into_iter().map(|p| p.1).collect(),
            cause_ranks: head.into_iter().collect(),
            sites: sites.into_iter().take(4).map(|s| s.1).collect(),
            regions: Vec::new(),
            iterations: None,
            evidence: BTreeMap::from([
                ("chains", Value::Int(self.chains)),
                ("longest_waits", Value::Int(u64::from(self.longest) - 1)),
                ("longest_ns", Value::Int(chain_ns)),
                ("longest_step_ns", Value::Int(worst.step_ns)),
                ("indirect_wait_ns", Value::Int(cost_ns)),
                ("fill_ns", Value::Int(self.fill_ns)),
                ("fills", Value::Int(self.fills)),
            ]),
            proof: worst
                .steps
                .iter()
                .map(|(rank, l)| Proof {
                    rank: world(*rank),
                    start_ns: l.start_ns,
                    end_ns: l.end_ns,
                    row: Some(l.row),
                })
                .collect(),
            alternatives: self.alternatives(&calls),
            remedy: Some(self.remedy(calls)),
            ..Finding::of(rule)
        });
    }
}

/// All calls at the places of these, by rank and facts.
pub(super) fn calls_at_places(
    of: impl Iterator<Item = (u32, u32)>,
    facts: &[Vec<CallInfo>],
) -> Arc<FxHashSet<(u32, u32)>> {
    let place = |rank: u32, f: u32| facts.get(rank as usize)?.get(f as usize).map(|f| (f.function, f.site));
    let places: FxHashSet<_> = of.filter_map(|(rank, f)| place(rank, f)).collect();
    let all = facts.iter().enumerate().flat_map(|(rank, f)| (0..f.len()).map(move |f| (rank as u32, f as u32)));
    let there = all.filter(|&(rank, f)| place(rank, f).is_some_and(|place| places.contains(&place)));
    Arc::new(there.collect())
}

pub(super) fn fill_title(ranks: usize, each_ns: u64, fills: u64) -> String {
    format!("A pipeline of {ranks} ranks takes {} to fill, {} times", time(each_ns), count(fills))
}

pub(super) fn fill_advice() -> String {
    format!(
        "Divide each piece of work into {PIECES} parts, and send each part as soon as it is computed: the pipeline then fills in a \
         quarter of the time."
    )
}
