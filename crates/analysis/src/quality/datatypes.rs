//! Messages of datatypes with gaps, compared with messages of contiguous bytes.

use std::collections::BTreeSet;

use mpiscope_store::{CallInfo, DatatypeRow, Dimensions, Message, RankId};
use mpiscope_units::{bytes, count, time};
use rustc_hash::FxHashMap;

use super::draft::{Draft, at_site};
use super::kinds::{Info, Kind, Kinds, bits};
use super::registry::{Context, QualityRule, TransferSeen};
use super::sample::{CostlySpan, Top};
use super::speed::Times;
use crate::explanation::{Confidence, Explanation, Relations, Rule};

pub(super) const PACKED: Rule = Rule {
    id: "packed_datatype",
    what: "Messages of a derived datatype with gaps take longer than contiguous ones of the same size.",
    formula: "Transfers with both sides in their calls (the receive was posted, or the sender waited for it). cost = 2 × messages \
              × mean (time − reference), as both ranks are in the call. reference = fitted time of contiguous messages of this \
              size on the same path; if the run has none, the ranks share a host and the message has 64 KiB or more, one copy at \
              the copy bandwidth (measured, otherwise 4 GB/s). Sizes and extents are those of the datatypes. Gropp, Lusk, Swider: \
              Improving the performance of MPI derived datatypes (MPIDC 1999).",
    threshold: "≥ 1 % of rank time and ≥ 1 ms, and 1.5 times the reference: packing by hand also takes time.",
    doubt: "Packing by a loop in the program reads the same memory. Measure it before you remove the datatype.",
    saving: "The run in which these calls take less time by the cost: an upper bound, because packing by hand also takes time.",
    relations: Relations::IN_CALLS,
};

#[derive(Default)]
struct DatatypeSum {
    times: Times,
    messages: u64,
    bytes: u64,
    pure_ns: u64,
    pure_bytes: u64,
    pure: u64,
    by_rank: FxHashMap<RankId, u64>,
    /// Groups of the calls in which the data are transferred.
    movers: BTreeSet<u32>,
    top: Top,
}

impl DatatypeSum {
    fn add(&mut self, other: DatatypeSum) {
        self.times.merge(other.times);
        self.messages += other.messages;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.pure_ns += other.pure_ns;
        self.pure_bytes = self.pure_bytes.saturating_add(other.pure_bytes);
        self.pure += other.pure;
        for (rank, bytes) in other.by_rank {
            *self.by_rank.entry(rank).or_default() += bytes;
        }
        self.movers.extend(other.movers);
        self.top.merge(&other.top);
    }
}

/// Without contiguous messages to compare with, only large messages are conclusive: smaller ones are mostly latency.
const ESTIMATED_BYTES: f64 = 65536.0;

/// Collects messages of datatypes with gaps, by sending group and whether both ranks share a host.
#[derive(Default)]
pub(crate) struct Datatypes {
    sums: FxHashMap<(u32, bool), DatatypeSum>,
}

impl QualityRule for Datatypes {
    const RULES: &'static [Rule] = &[PACKED];

    fn new(_kinds: &Kinds, _dimensions: &Dimensions) -> Datatypes {
        Datatypes::default()
    }

    #[inline]
    fn transfer(&mut self, seen: &TransferSeen<'_>) {
        if seen.has_gaps {
            self.add(seen);
        }
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, facts, machine, speed } = *context;
        for (groups, same_host, sum) in self.by_datatype(kinds, facts, dimensions) {
            let Some(&group) = groups.first() else { continue };
            let model = speed.model(same_host);
            let estimate = |bytes: f64| bytes * 1e9 / machine.copy_bandwidth() + super::LATENCY_NS;
            // The time of each frequent size: the lower quartile, as for contiguous messages.
            let (mut measured, mut reference, mut weight, mut is_fitted) = (0.0, 0.0, 0.0, true);
            for p in sum.times.points() {
                let fitted = model.ns(p.bytes as u64);
                is_fitted &= fitted.is_some();
                if fitted.is_none() && (!same_host || p.bytes < ESTIMATED_BYTES) {
                    continue; // nothing to compare with
                }
                measured += p.weight * p.ns;
                reference += p.weight * fitted.unwrap_or_else(|| estimate(p.bytes));
                weight += p.weight;
            }
            let ratio = if reference > 0.0 { measured / reference } else { 0.0 };
            // Both ranks are in their calls all the time.
            let cost_ns = (2.0 * (measured - reference).max(0.0) / f64::max(weight, 1e-9) * sum.messages as f64) as u64;
            if ratio < 1.5 || cost_ns < out.scope.threshold_ns() {
                continue;
            }
            let name = name(group, kinds, facts, dimensions);
            let (confidence, with) = match is_fitted {
                true => (Confidence::Medium, "contiguous messages of the same size in this run take"),
                false => (Confidence::Low, "one copy of the same number of bytes would take"),
            };
            let function = kinds.function_name(group);
            let site = kinds.site(group, dimensions);
            let draft = Draft::new(&PACKED, confidence, &out.scope, cost_ns).describe(
                format!("{function}{} sends a datatype with gaps, {ratio:.1} times slower", at_site(site.as_deref())),
                format!(
                    "{} messages of {name}, {} in total, take {} each when both sides are ready; {with} {}.",
                    count(sum.messages),
                    bytes(sum.bytes),
                    time((measured / weight) as u64),
                    time((reference / weight) as u64)
                ),
                advice(row_with_gaps(group, kinds, facts, dimensions)).into(),
            );
            let mut shares = vec![0; kinds.ranks()];
            sum.by_rank.iter().filter_map(|(r, &b)| Some((r.index()?, b))).for_each(|(r, bytes)| shares[r] = bytes);
            let finding = draft
                .at(groups, kinds, dimensions)
                .and_calls_of(&sum.movers.iter().copied().collect::<Vec<_>>(), kinds, dimensions)
                // Packing by hand also takes time.
                .at_most()
                .paid_by(&shares, dimensions)
                .int("messages", sum.messages)
                .int("bytes", sum.bytes)
                .int("measured_messages", sum.pure)
                .float("ratio", ratio)
                .float("bandwidth_bytes_per_s", sum.pure_bytes as f64 * 1e9 / sum.pure_ns.max(1) as f64)
                .float("message_ns", measured / weight)
                .float("reference_ns", reference / weight)
                .proven_by(&sum.top, dimensions);
            out.findings.push(finding.done());
        }
    }
}

impl Datatypes {
    /// A message with a datatype with gaps on at least one side.
    fn add(&mut self, seen: &TransferSeen<'_>) {
        let TransferSeen { message: m, send, kinds, same_host, pure_ns, .. } = *seen;
        let sum = self.sums.entry((send.group, same_host)).or_default();
        sum.messages += 1;
        sum.bytes = sum.bytes.saturating_add(m.bytes);
        for rank in [m.sender, m.receiver] {
            *sum.by_rank.entry(rank).or_default() += m.bytes;
        }
        for (rank, facts) in [(m.sender, m.send.done_facts), (m.receiver, m.receive.done_facts)] {
            sum.movers.insert(kinds.info(rank, facts).group);
        }
        let Some(cost_ns) = pure_ns.or_else(|| met_ns(m)) else { return };
        sum.pure += 1;
        sum.pure_ns += cost_ns;
        sum.pure_bytes = sum.pure_bytes.saturating_add(m.bytes);
        sum.times.push(m.bytes, cost_ns);
        let (start_ns, end_ns, row) = (m.send.start_ns, m.receive.done_end_ns, Some(m.receive.done_row));
        sum.top.push(CostlySpan { cost_ns, rank: m.receiver, start_ns, end_ns, row });
    }

    /// Joins the sums of one datatype, wherever it is sent; groups that send most come first.
    fn by_datatype(
        self,
        kinds: &Kinds,
        facts: &[Vec<CallInfo>],
        dimensions: &Dimensions,
    ) -> Vec<(Vec<u32>, bool, DatatypeSum)> {
        let mut sums: Vec<_> = self.sums.into_iter().filter(|(_, s)| s.pure > 0).collect();
        sums.sort_by_key(|(key, sum)| (std::cmp::Reverse(sum.bytes), *key));
        let mut found: Vec<(Vec<u32>, bool, DatatypeSum)> = Vec::new();
        let mut names: FxHashMap<(String, bool), usize> = FxHashMap::default();
        for ((group, same_host), sum) in sums {
            let at = *names.entry((name(group, kinds, facts, dimensions), same_host)).or_insert(found.len());
            match found.get_mut(at) {
                Some((groups, _, all)) => {
                    groups.push(group);
                    all.add(sum);
                }
                None => found.push((vec![group], same_host, sum)),
            }
        }
        found
    }
}

/// Time of a transfer that started when the receive was posted, because the sender waited for it: both ranks were in their
/// calls, and the sender for at least half of it (an eager send has returned by then).
fn met_ns(m: &Message) -> Option<u64> {
    let from_ns = m.receive.done_start_ns;
    let ns = m.receive.done_end_ns.saturating_sub(from_ns);
    let alone = m.send.done_with <= 1 && m.receive.done_with <= 1;
    let met = m.send.done_start_ns <= from_ns && m.send.done_end_ns.saturating_sub(from_ns) > ns / 2;
    (alone && met).then_some(ns)
}

/// What a group sends: `a datatype created by MPI_Type_vector (8 of 32 bytes)`.
fn name(group: u32, kinds: &Kinds, facts: &[Vec<CallInfo>], dimensions: &Dimensions) -> String {
    with_gaps(group, kinds, facts, dimensions).unwrap_or_else(|| "a datatype with gaps at the receiver".into())
}

/// The same; `None` where its own data have no gaps.
pub(super) fn with_gaps(group: u32, kinds: &Kinds, facts: &[Vec<CallInfo>], dimensions: &Dimensions) -> Option<String> {
    let datatype = row_with_gaps(group, kinds, facts, dimensions)?;
    let called = if datatype.name.is_empty() {
        format!("a datatype created by {}", mpiscope_abi::name(datatype.created_by))
    } else {
        datatype.name.clone()
    };
    Some(format!("{called} ({} bytes of {})", datatype.size_bytes, datatype.extent_bytes))
}

/// The datatype with gaps that a group sends.
fn row_with_gaps<'a>(
    group: u32,
    kinds: &Kinds,
    facts: &[Vec<CallInfo>],
    dimensions: &'a Dimensions,
) -> Option<&'a DatatypeRow> {
    facts.iter().enumerate().find_map(|(rank, facts)| {
        let mut of_rank = facts.iter().zip(kinds.of_rank(rank));
        let is_it = |info: &Info| info.group == group && info.bits & bits::GAPS != 0 && info.kind != Kind::Local;
        let (f, _) = of_rank.find(|(_, info)| is_it(info))?;
        dimensions.datatypes.get(rank)?.get(&f.datatype)
    })
}

/// What to try; a datatype that is regular already need not become it.
fn advice(datatype: Option<&DatatypeRow>) -> &'static str {
    let created_by = datatype.map_or("", |datatype| mpiscope_abi::name(datatype.created_by));
    match ["vector", "subarray"].iter().any(|regular| created_by.contains(regular)) {
        true => "Lay the data out so that the part that is sent is contiguous, or pack them in a loop and compare.",
        false => {
            "Describe the data by a regular type (MPI_Type_vector, MPI_Type_create_subarray: large blocks, one stride), lay them out so that \
             the part that is sent is contiguous, or pack them in a loop and compare."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_type_is_not_advised_twice() {
        let of =
            |name: &str| DatatypeRow { created_by: mpiscope_abi::by_name(name).unwrap(), ..DatatypeRow::default() };
        let is_advised = |name: &str| advice(Some(&of(name))).contains("regular type");
        let regular = ["MPI_Type_vector", "MPI_Type_create_hvector", "MPI_Type_create_subarray"];
        assert_eq!(regular.map(is_advised), [false; 3]);
        assert!(is_advised("MPI_Type_indexed") && is_advised("MPI_Type_create_struct"));
    }
}
