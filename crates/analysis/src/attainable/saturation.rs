//! Saturated paths: several messages at once leave or reach a host, and together they are no faster than one alone.
//!
//! Each message occupies the path out of the sender's host and the path into the receiver's host, from the moment at which both sides
//! are ready until it is received. While several do, a path with room for all of them carries the work of several; a saturated path
//! carries that of one: *work* is the time that a message takes alone, by the machine profile.

use std::collections::{BTreeMap, BTreeSet};

use mpiscope_store::{BEHIND, Behind, CallInfo, Dimensions, RankId};
use mpiscope_units::{count, time};
use rustc_hash::FxHashSet;

use super::transfers::Transfer;
use crate::analysis::Input;
use crate::explanation::{Confidence, Explanation, Finding, Relations, Remedy, Rule, Scope, Spread, Value, share};
use crate::quality::{CostlySpan, Top};

const SATURATED: Rule = Rule {
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

/// The rules of this file.
pub(crate) const RULES: &[Rule] = &[SATURATED];

/// Work at once on a saturated path. Less is not the path's fault, more means that it has room.
const WORK: std::ops::RangeInclusive<f64> = 0.7..=1.3;
/// Messages without which a path is not looked at.
const FEWEST: u64 = 16;
/// A message that shares the path for this part of its time is slowed down by others.
const MOSTLY: f64 = 0.5;

/// Which side of a host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Out,
    Into,
}

/// A message that is on the path.
struct Active {
    transfer: Transfer,
    begin_ns: u64,
    /// [`Path::shared_ns`] when it began.
    shared_before_ns: u64,
}

/// What the path did while several messages shared it.
#[derive(Default)]
struct Path {
    /// Not yet ordered.
    pending: Vec<Transfer>,
    active: Vec<Active>,
    now_ns: u64,
    shared_ns: u64,
    /// Time that the messages would have taken alone for what they moved meanwhile, ns.
    work_ns: f64,
    /// Sum over shared time of the number of messages, ns.
    together_ns: f64,
    slowed: Slowed,
}

/// Messages that shared the path for most of their time.
#[derive(Default)]
struct Slowed {
    messages: u64,
    bytes: u64,
    cost_ns: f64,
    by_rank_ns: BTreeMap<u32, f64>,
    /// Calls whose time it is.
    calls: FxHashSet<(u32, u32)>,
    top: Top,
    spread: Spread,
}

impl Slowed {
    fn add(&mut self, of: &Transfer) {
        let lost_ns = (of.ns() as f64 - of.alone_ns).max(0.0);
        (self.messages, self.bytes) = (self.messages + 1, self.bytes.saturating_add(of.bytes));
        self.spread.add(of.end_ns - lost_ns as u64, of.end_ns);
        for end in of.ends.iter().flatten() {
            let ns = lost_ns / f64::from(end.done_with.max(1));
            self.cost_ns += ns;
            *self.by_rank_ns.entry(end.rank.0).or_default() += ns;
            self.calls.insert((end.rank.0, end.facts));
            self.top.push(CostlySpan {
                cost_ns: ns as u64,
                rank: end.rank,
                start_ns: of.begin_ns,
                end_ns: of.end_ns,
                row: Some(end.row),
            });
        }
    }
}

impl Path {
    /// Follows the messages that begin before `until_ns`, in order.
    fn follow(&mut self, until_ns: u64) {
        let mut ready: Vec<Transfer> = self.pending.extract_if(.., |of| of.begin_ns < until_ns).collect();
        ready.sort_unstable_by_key(|of| (of.begin_ns, of.end_ns, of.ends[0].map(|end| end.rank)));
        for transfer in ready {
            self.advance(transfer.begin_ns);
            // One that became known late begins late.
            let begin_ns = transfer.begin_ns.max(self.now_ns);
            if transfer.end_ns > begin_ns {
                self.active.push(Active { transfer, begin_ns, shared_before_ns: self.shared_ns });
            }
        }
        self.advance(until_ns);
    }

    /// Until a moment; messages that end before leave the path.
    fn advance(&mut self, until_ns: u64) {
        while let Some(at) = (0..self.active.len()).min_by_key(|&at| self.active[at].transfer.end_ns)
            && self.active[at].transfer.end_ns <= until_ns
        {
            self.pass(self.active[at].transfer.end_ns);
            let done = self.active.swap_remove(at);
            let shared_ns = self.shared_ns - done.shared_before_ns;
            if shared_ns as f64 >= MOSTLY * (done.transfer.end_ns - done.begin_ns) as f64 {
                self.slowed.add(&done.transfer);
            }
        }
        self.pass(until_ns);
    }

    fn pass(&mut self, until_ns: u64) {
        let ns = until_ns.saturating_sub(self.now_ns);
        if self.active.len() > 1 {
            let work: f64 = self.active.iter().map(|of| of.transfer.alone_ns / of.transfer.ns().max(1) as f64).sum();
            self.shared_ns += ns;
            self.work_ns += work * ns as f64;
            self.together_ns += (self.active.len() as u64 * ns) as f64;
        }
        self.now_ns = self.now_ns.max(until_ns);
    }

    fn is_saturated(&self) -> bool {
        let enough = self.slowed.messages >= FEWEST && self.shared_ns > 0;
        enough && WORK.contains(&(self.work_ns / self.shared_ns as f64))
    }
}

/// The paths of all hosts.
#[derive(Default)]
pub(super) struct Saturation {
    /// By host.
    out: Vec<Path>,
    into: Vec<Path>,
    behind: Behind,
    /// Of no cost.
    spread: Spread,
}

impl Saturation {
    pub fn new(scope: &Scope) -> Saturation {
        Saturation { spread: Spread::new(scope), ..Saturation::default() }
    }

    /// A message between hosts.
    pub fn message(&mut self, from: u32, to: u32, transfer: Transfer) {
        for (paths, host) in [(&mut self.out, from as usize), (&mut self.into, to as usize)] {
            if paths.len() <= host {
                let slowed = || Slowed { spread: self.spread.clone(), ..Slowed::default() };
                paths.resize_with(host + 1, || Path { slowed: slowed(), ..Path::default() });
            }
            paths[host].pending.push(transfer.clone());
        }
    }

    /// After the messages of a batch.
    pub fn end_batch(&mut self, input: &Input<'_>) {
        if self.out.is_empty() {
            return;
        }
        self.behind.push(input.batch);
        let until_ns = if input.batch.is_last { u64::MAX } else { self.behind.moment(BEHIND, 1) };
        self.out.iter_mut().chain(&mut self.into).for_each(|path| path.follow(until_ns));
        self.behind.forget(until_ns.min(self.behind.moment(2 * BEHIND, 2)));
    }

    /// The finding about the side on which more time is lost.
    pub fn conclude(
        &self,
        hosts: &[u32],
        (dimensions, facts): (&Dimensions, &[Vec<CallInfo>]),
        explanation: &mut Explanation,
    ) {
        let (out, into) = (Saturated::of(&self.out, Side::Out), Saturated::of(&self.into, Side::Into));
        let found = if into.cost_ns > out.cost_ns { into } else { out };
        if !found.paths.is_empty() && found.cost_ns >= explanation.scope.threshold_ns() {
            explanation.findings.push(found.finding(hosts, (dimensions, facts), &explanation.scope));
            let mut spread = self.spread.clone();
            found.paths.iter().for_each(|(_, path)| spread.add_all(&path.slowed.spread));
            explanation.costs.push((SATURATED.id, spread));
        }
    }
}

/// The saturated paths of one side.
struct Saturated<'a> {
    side: Side,
    /// With the number of the host.
    paths: Vec<(u32, &'a Path)>,
    cost_ns: u64,
}

impl<'a> Saturated<'a> {
    fn of(paths: &'a [Path], side: Side) -> Saturated<'a> {
        let saturated = (0..).zip(paths).filter(|(_, path)| path.is_saturated());
        let paths: Vec<(u32, &Path)> = saturated.collect();
        let cost_ns: f64 = paths.iter().map(|(_, path)| path.slowed.cost_ns).sum();
        Saturated { side, paths, cost_ns: cost_ns as u64 }
    }

    fn finding(&self, hosts: &[u32], (dimensions, facts): (&Dimensions, &[Vec<CallInfo>]), scope: &Scope) -> Finding {
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
        let side = if *side == Side::Out { "out of" } else { "into" };
        let text = format!(
            "{} messages of {} on average share the network {side} {shown} with others. {together:.1} at once move only as \
             much as {work:.1} alone, so they take {} longer than alone.",
            count(messages),
            mpiscope_units::bytes(bytes / messages.max(1)),
            time(cost_ns)
        );
        let advice = "Move fewer bytes between these hosts: mpiscope place RUN lists orders of ranks and their bytes between \
                      hosts. Or start the messages earlier, so that they move while ranks compute. Another order or number of \
                      the same messages does not make the network faster.";
        Finding {
            title: format!("The network {side} {shown} is saturated: {together:.1} messages at once"),
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
            ..Finding::of(&SATURATED)
        }
    }
}
