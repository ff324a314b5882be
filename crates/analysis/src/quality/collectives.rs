//! Time in collective operations: waiting for the last rank, and moving data.

use mpiscope_abi::role::{Pattern, Role, role};
use mpiscope_store::{Collective, CommId, Dimensions, Member, RankId};
use mpiscope_units::{bytes, count, percent, rate, time};
use rustc_hash::FxHashMap;

use super::Machine;
use super::datatypes::with_gaps;
use super::draft::{Draft, at_site};
use super::kinds::Kinds;
use super::registry::{Context, QualityRule};
use super::sample::{CostlySpan, Reservoir, Top, size_class};
use crate::explanation::quality::CollectiveRow;
use crate::explanation::{Confidence, Explanation, Finding, Relations, Rule, Scope};

pub(super) const SLOW: Rule = Rule {
    id: "slow_collective",
    what: "A collective operation moves its data more slowly at one call site than at another.",
    formula: "transfer = from the last entry to the return of the rank; bandwidth = bytes moved / (last return − last entry); \
              cost = Σ transfer × (1 − bandwidth / best), best = the highest median among call sites with the same \
              function, communicator size and power of two of bytes, or the machine's copy bandwidth if that is \
              lower. The split into waiting and moving follows Vetter, McCracken (PPoPP 2001) and Scalasca's completion \
              times.",
    threshold: "cost ≥ 1 % of rank time and ≥ 1 ms; at least 8 operations of at least 4 KiB at both call sites; average \
                and median below half of the best: single slow operations are disturbances, and a factor of two is \
                noise.",
    doubt: "Ranks that share cores move data one after another. Check with fewer ranks, or with ranks bound to cores.",
    saving: "The run in which these calls take less time by the cost.",
    relations: Relations { explains_time_in_calls: true, ..Relations::LATE },
};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    group: u32,
    comm: CommId,
    size_class: u8,
    ranks: u32,
}

impl Key {
    fn alike(&self, kinds: &Kinds) -> Option<Alike> {
        Some((kinds.groups.get(self.group as usize)?.function, self.ranks, self.size_class))
    }
}

#[derive(Default)]
struct CollectiveSum {
    count: u64,
    bytes: u64,
    wait_ns: u64,
    transfer_ns: u64,
    elapsed_ns: u64,
    /// Bytes and time of some operations.
    operations: Reservoir,
    transfers: Top,
}

impl CollectiveSum {
    fn bandwidth(&self) -> Option<f64> {
        (self.bytes > 0 && self.elapsed_ns > 0).then(|| self.bytes as f64 * 1e9 / self.elapsed_ns as f64)
    }

    /// Bandwidths of the operations in the sample, the lowest first.
    fn bandwidths(&self) -> Vec<f64> {
        let known = self.operations.kept().iter().filter(|o| o.0 > 0 && o.1 > 0);
        let mut list: Vec<f64> = known.map(|&(bytes, ns)| bytes as f64 * 1e9 / ns as f64).collect();
        list.sort_by(f64::total_cmp);
        list
    }

    /// The bandwidth of a typical operation, if there are enough of them.
    fn ordinary(&self) -> Option<f64> {
        let list = self.bandwidths();
        list.get(list.len() / 2).copied().filter(|_| self.count >= ENOUGH)
    }
}

/// Operations that are needed to know how fast a call site usually is.
const ENOUGH: u64 = 8;

/// Function, ranks, class of size: what can be compared.
type Alike = (u32, u32, u8);

/// Collects them.
#[derive(Default)]
pub(crate) struct Collectives {
    sums: FxHashMap<Key, CollectiveSum>,
}

/// When all ranks that a member needs had entered.
fn ready_ns(pattern: Pattern, root: RankId, members: &[Member], at: usize, last_ns: u64, prefix_ns: u64) -> u64 {
    let own = members[at].end.start_ns;
    match pattern {
        Pattern::OneToN if members[at].rank == root => own,
        Pattern::OneToN => members.iter().find(|m| m.rank == root).map_or(own, |m| m.end.start_ns),
        Pattern::NToOne if members[at].rank != root => own,
        Pattern::Scan => prefix_ns,
        Pattern::Neighbors | Pattern::File => own,
        _ => last_ns,
    }
}

impl QualityRule for Collectives {
    const RULES: &'static [Rule] = &[SLOW];

    fn new(_kinds: &Kinds, _dimensions: &Dimensions) -> Collectives {
        Collectives::default()
    }

    fn collective(&mut self, operation: &Collective, members: &[Member], kinds: &Kinds) {
        let Some(first) = members.first() else { return };
        let Role::Collective(pattern) = role(operation.function) else { return };
        if operation.missing > 0 {
            return; // the last rank is unknown
        }
        if members.iter().any(|m| m.end.done_row != m.end.row) {
            return; // non-blocking: its time belongs to overlap
        }
        let (mut sent, mut received, mut last_ns, mut over_ns) = (0u64, 0u64, 0, 0);
        for m in members {
            sent = sent.saturating_add(m.bytes_sent);
            received = received.saturating_add(m.bytes_received);
            last_ns = last_ns.max(m.end.start_ns);
            over_ns = over_ns.max(m.end.end_ns);
        }
        // Where one side is unknown (vector variants at the root), the other one is known.
        let bytes = sent.max(received);
        let group = kinds.info(first.rank, first.end.facts).group;
        let ranks = members.len() as u32;
        let key = Key { group, comm: operation.comm, size_class: size_class(bytes) as u8, ranks };
        let sum = self.sums.entry(key).or_default();
        let elapsed_ns = over_ns.saturating_sub(last_ns);
        sum.count += 1;
        sum.bytes = sum.bytes.saturating_add(bytes);
        sum.elapsed_ns += elapsed_ns;
        sum.operations.push(bytes, elapsed_ns);
        let mut prefix_ns = 0;
        for (at, m) in members.iter().enumerate() {
            let (start_ns, end_ns) = (m.end.start_ns, m.end.end_ns);
            prefix_ns = start_ns.max(prefix_ns);
            let ready = ready_ns(pattern, operation.root, members, at, last_ns, prefix_ns).min(end_ns).max(start_ns);
            sum.wait_ns += ready - start_ns;
            let cost_ns = end_ns.saturating_sub(ready);
            sum.transfer_ns += cost_ns;
            let row = Some(m.end.row);
            sum.transfers.push(CostlySpan { cost_ns, rank: m.rank, start_ns: ready, end_ns, row });
        }
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, machine, .. } = *context;
        let best = self.best(kinds);
        let best_of = |key: &Key| best.get(&key.alike(kinds)?).copied();
        let mut sums: Vec<(&Key, &CollectiveSum)> = self.sums.iter().collect();
        sums.sort_by_key(|(key, sum)| (std::cmp::Reverse(sum.wait_ns + sum.transfer_ns), **key));
        for &(key, sum) in &sums {
            out.collectives.push(CollectiveRow {
                function: kinds.function_name(key.group),
                site: kinds.site(key.group, dimensions),
                comm: dimensions.comm(key.comm).to_owned(),
                ranks: key.ranks.into(),
                count: sum.count,
                bytes: sum.bytes,
                wait_ns: sum.wait_ns,
                transfer_ns: sum.transfer_ns,
                elapsed_ns: sum.elapsed_ns,
                bandwidth_bytes_per_s: sum.bandwidth(),
                best_bandwidth_bytes_per_s: best_of(key).map(|b| b.0),
                copy_share: copy_share(sum, key, machine),
            });
            if let Some((_, Some(reached))) = best_of(key) {
                let best = machine.copy_bandwidth_bytes_per_s.map_or(reached, |copy| copy.min(reached));
                out.findings.extend(slow(key, sum, best, context, &out.scope));
            }
        }
    }
}

impl Collectives {
    /// The bandwidth that similar operations reach: their 95th percentile, and the best of the call sites' medians.
    fn best(&self, kinds: &Kinds) -> FxHashMap<Alike, (f64, Option<f64>)> {
        let mut all: FxHashMap<Alike, (Vec<f64>, Option<f64>)> = FxHashMap::default();
        for (key, sum) in &self.sums {
            let Some(alike) = key.alike(kinds) else { continue };
            let (list, reached) = all.entry(alike).or_default();
            list.extend(sum.bandwidths());
            *reached = sum.ordinary().into_iter().chain(*reached).max_by(f64::total_cmp);
        }
        let percentile = |(alike, (mut list, reached)): (_, (Vec<f64>, _))| {
            list.sort_by(f64::total_cmp);
            let at = (list.len().max(1) - 1) * 95 / 100;
            list.get(at).map(|&best| (alike, (best, reached)))
        };
        all.into_iter().filter_map(percentile).collect()
    }
}

/// Bandwidth per rank, as a share of the copy bandwidth of one core.
fn copy_share(sum: &CollectiveSum, key: &Key, machine: &Machine) -> Option<f64> {
    let of_rank = sum.bandwidth()? / f64::from(key.ranks.max(1));
    machine.copy_bandwidth_bytes_per_s.filter(|copy| *copy > 0.0).map(|copy| of_rank / copy)
}

fn slow(key: &Key, sum: &CollectiveSum, best: f64, context: &Context<'_>, scope: &Scope) -> Option<Finding> {
    let Context { kinds, dimensions, machine, facts, .. } = *context;
    let bandwidth = sum.bandwidth()?;
    let ordinary = sum.ordinary()?;
    if sum.bytes / sum.count < 4096 || bandwidth.max(ordinary) > best / 2.0 {
        return None;
    }
    let (mut over, mut all) = (0.0, 0.0);
    for &(bytes, ns) in sum.operations.kept() {
        over += (ns as f64 - bytes as f64 * 1e9 / best).max(0.0);
        all += ns as f64;
    }
    let cost_ns = (sum.transfer_ns as f64 * over / all) as u64;
    if cost_ns < scope.threshold_ns() {
        return None;
    }
    let function = kinds.function_name(key.group);
    let place = at_site(kinds.site(key.group, dimensions).as_deref());
    let copy = machine.copy_bandwidth_bytes_per_s.zip(copy_share(sum, key, machine));
    let copied = copy.map_or(String::new(), |(copy, share)| {
        format!(" Per rank, this is {} of the speed at which one core copies ({}).", percent(share), rate(copy))
    });
    let draft = Draft::new(&SLOW, Confidence::Medium, scope, cost_ns).describe(
        format!("{function}{place} reaches only {}, elsewhere {}", rate(bandwidth), rate(best)),
        format!(
            "After the last rank had entered, {} operations on {} took {} of rank time to move {}: {}. Elsewhere in \
             this run, operations of the same size typically reach {}.{copied}",
            count(sum.count),
            dimensions.comm(key.comm),
            time(sum.transfer_ns),
            bytes(sum.bytes),
            rate(bandwidth),
            rate(best)
        ),
        match with_gaps(key.group, kinds, facts, dimensions) {
            Some(datatype) => format!(
                "The data here are {datatype}, which the MPI packs. Lay them out so that the part that is sent is contiguous, or pack \
                 them in a loop and compare."
            ),
            None => "Check the slow operations (proof): are ranks disturbed by other processes, or not bound to cores?".into(),
        },
    );
    let members = dimensions.comms.get(key.comm.index()?).map(|c| c.members.as_slice()).unwrap_or_default();
    let mut costs = vec![0; dimensions.ranks.len()];
    members.iter().filter_map(|m| m.index()).for_each(|m| costs[m] = 1);
    let draft = match copy {
        Some((copy, share)) => draft.float("copy_bandwidth_bytes_per_s", copy).float("copy_share", share),
        None => draft,
    };
    Some(
        draft
            .at([key.group], kinds, dimensions)
            .paid_by(&costs, dimensions)
            .int("operations", sum.count)
            .int("bytes", sum.bytes)
            .int("wait_ns", sum.wait_ns)
            .int("transfer_ns", sum.transfer_ns)
            .float("bandwidth_bytes_per_s", bandwidth)
            .float("best_bandwidth_bytes_per_s", best)
            .proven_by(&sum.transfers, dimensions)
            .done(),
    )
}
