//! Non-blocking operations: how much of them overlaps with computing, and how much is in the wait.

use mpiscope_store::{Collective, Dimensions, End, Member, RankId};
use mpiscope_units::{bytes, count, time};
use rustc_hash::FxHashMap;

use super::draft::{Draft, at_site};
use super::kinds::{Kinds, NONE};
use super::registry::{Context, QualityRule, TransferSeen};
use super::sample::{CostlySpan, Top};
use crate::explanation::quality::OverlapRow;
use crate::explanation::{Confidence, Explanation, Relations, Rule};

pub(super) const NO_OVERLAP: Rule = Rule {
    id: "no_overlap",
    what: "Data of non-blocking operations are transferred only in the call that completes them, although there was time before.",
    formula: "ready = both sides have posted; away = from ready until the rank enters its completing call; late = from the \
              moment when all sides are in their completing calls until the call of the rank returns, which is neither \
              computing nor waiting for \
              another rank. cost = Σ min(late, away) / operations completed together. Based on Saif, Parashar (Euro-Par 2004) \
              and the overlap metric of COMB (Lawry et al., Cluster 2002).",
    threshold: "≥ 1 % of rank time and ≥ 1 ms for one pair of posting and completing call sites. Single transfers count from \
                5 µs: less is the call itself.",
    doubt: "Ranks that share cores are in the wait without running. Check with one rank per core. Between ranks on one host, \
            a core copies the data: polling while computing copies the same data at another time, so this rule reports nothing \
            for runs on one host.",
    saving: "The run in which these calls take less time by the cost: an upper bound.",
    relations: Relations { explains_time_in_calls: true, ..Relations::LATE },
};

#[derive(Default)]
struct OverlapSum {
    count: u64,
    bytes: u64,
    flight_ns: u64,
    wait_ns: u64,
    away_ns: u64,
    missed_ns: u64,
    by_rank: Vec<u64>,
    top: Top,
}

/// Collects them.
#[derive(Default)]
pub(crate) struct Overlap {
    sums: FxHashMap<(u32, u32), OverlapSum>,
    /// Operations that were followed.
    count: u64,
}

/// A wait this long is the price of the call.
const CALL_NS: u64 = 5_000;

impl QualityRule for Overlap {
    const RULES: &'static [Rule] = &[NO_OVERLAP];

    fn new(_kinds: &Kinds, _dimensions: &Dimensions) -> Overlap {
        Overlap::default()
    }

    fn transfer(&mut self, seen: &TransferSeen<'_>) {
        let TransferSeen { message: m, kinds, .. } = *seen;
        if m.send.done_row == m.send.row && m.receive.done_row == m.receive.row {
            return; // both sides block
        }
        let ready_ns = m.send.start_ns.max(m.receive.start_ns);
        let all_in_ns = m.send.done_start_ns.max(m.receive.done_start_ns);
        for (rank, end) in [(m.sender, &m.send), (m.receiver, &m.receive)] {
            if end.done_row != end.row {
                self.add(rank, end, m.bytes, ready_ns, all_in_ns, kinds);
            }
        }
    }

    fn collective(&mut self, operation: &Collective, members: &[Member], kinds: &Kinds) {
        let is_blocking = members.iter().all(|m| m.end.done_row == m.end.row);
        if is_blocking || operation.missing > 0 || members.iter().any(|m| !m.end.is_done()) {
            return;
        }
        let ready_ns = members.iter().map(|m| m.end.start_ns).max().unwrap_or(0);
        let all_in_ns = members.iter().map(|m| m.end.done_start_ns).max().unwrap_or(0);
        for m in members.iter().filter(|m| m.end.done_row != m.end.row) {
            self.add(m.rank, &m.end, m.bytes_sent.max(m.bytes_received), ready_ns, all_in_ns, kinds);
        }
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, .. } = *context;
        if self.count > 0 {
            out.caveats.push(format!(
                "It is unknown when the data of {} non-blocking operations were transferred: the record has only the times of \
                 posting and completion, and any MPI call between them may have transferred the data.",
                count(self.count)
            ));
        }
        let mut sums: Vec<_> = self.sums.into_iter().collect();
        sums.sort_by_key(|(key, sum)| (std::cmp::Reverse(sum.wait_ns), *key));
        // Sends and receives that one call completes are one finding.
        let mut by_wait: Vec<(u32, Vec<u32>, OverlapSum)> = Vec::new();
        for ((post, done), sum) in sums {
            out.overlap.push(OverlapRow {
                function: kinds.function_name(post),
                site: kinds.site(post, dimensions),
                completed_by: kinds.function_name(done),
                completed_at: kinds.site(done, dimensions),
                count: sum.count,
                bytes: sum.bytes,
                flight_ns: sum.flight_ns,
                wait_ns: sum.wait_ns,
                away_ns: sum.away_ns,
                missed_ns: sum.missed_ns,
            });
            match by_wait.iter_mut().find(|(d, ..)| *d == done) {
                Some((_, posts, all)) => {
                    posts.push(post);
                    merge(all, sum);
                }
                None => by_wait.push((done, vec![post], sum)),
            }
        }
        for (done, posts, sum) in by_wait.into_iter().filter(|(done, ..)| *done != NONE) {
            if sum.missed_ns < out.scope.threshold_ns() || dimensions.is_one_host() {
                continue;
            }
            let site = kinds.site(done, dimensions);
            let function = kinds.function_name(done);
            let draft = Draft::new(&NO_OVERLAP, Confidence::Medium, &out.scope, sum.missed_ns).describe(
                format!(
                    "Data are transferred in {function}{}, not during the computation before",
                    at_site(site.as_deref())
                ),
                format!(
                    "{} operations with {} were ready {} (rank time) before the ranks waited for them. {} of transfer \
                     took place in {function} with all sides inside, and could have overlapped with the computation.",
                    count(sum.count),
                    bytes(sum.bytes),
                    time(sum.away_ns),
                    time(sum.missed_ns)
                ),
                "Give the MPI time to transfer data: call MPI_Test from time to time while computing.".into(),
            );
            let finding = draft
                .at_most()
                .at([done].into_iter().chain(posts), kinds, dimensions)
                .paid_by(&sum.by_rank, dimensions)
                .int("operations", sum.count)
                .int("bytes", sum.bytes)
                .int("wait_ns", sum.wait_ns)
                .int("away_ns", sum.away_ns)
                .int("missed_ns", sum.missed_ns)
                .proven_by(&sum.top, dimensions);
            out.findings.push(finding.done());
        }
    }
}

impl Overlap {
    fn add(&mut self, rank: RankId, end: &End, bytes: u64, ready_ns: u64, all_in_ns: u64, kinds: &Kinds) {
        let key = (kinds.info(rank, end.facts).group, kinds.info(rank, end.done_facts).group);
        let sum = self.sums.entry(key).or_default();
        let together = u64::from(end.done_with.max(1));
        self.count += 1;
        sum.count += 1;
        sum.bytes = sum.bytes.saturating_add(bytes);
        sum.flight_ns += end.done_end_ns.saturating_sub(end.end_ns);
        sum.wait_ns += end.done_end_ns.saturating_sub(end.done_start_ns) / together;
        sum.away_ns += end.done_start_ns.saturating_sub(end.end_ns);
        let from_ns = all_in_ns.max(ready_ns);
        let late_ns = end.done_end_ns.saturating_sub(from_ns);
        let missed_ns = late_ns.min(end.done_start_ns.saturating_sub(ready_ns));
        if missed_ns > CALL_NS {
            let cost_ns = missed_ns / together;
            sum.missed_ns += cost_ns;
            sum.by_rank.resize(kinds.ranks(), 0);
            if let Some(ns) = sum.by_rank.get_mut(rank.0 as usize) {
                *ns += cost_ns;
            }
            let row = Some(end.done_row);
            sum.top.push(CostlySpan { cost_ns, rank, start_ns: from_ns, end_ns: end.done_end_ns, row });
        }
    }
}

fn merge(all: &mut OverlapSum, other: OverlapSum) {
    all.count += other.count;
    all.bytes = all.bytes.saturating_add(other.bytes);
    all.flight_ns += other.flight_ns;
    all.wait_ns += other.wait_ns;
    all.away_ns += other.away_ns;
    all.missed_ns += other.missed_ns;
    let ranks = all.by_rank.len().max(other.by_rank.len());
    all.by_rank.resize(ranks, 0);
    all.by_rank.iter_mut().zip(&other.by_rank).for_each(|(a, b)| *a += b);
    all.top.merge(&other.top);
}
