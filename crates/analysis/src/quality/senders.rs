//! Ranks that send far more than others.

use mpiscope_store::Dimensions;
use mpiscope_units::{count, percent, share, time};

use super::draft::Draft;
use super::kinds::Kinds;
use super::registry::{Context, QualityRule, TransferSeen};
use super::sample::{CostlySpan, Top};
use crate::explanation::{Confidence, Explanation, Relations, Rule, Scope, Value, WhyLate};

pub(super) const HOT: Rule = Rule {
    id: "hot_sender",
    what: "One rank sends most of the data or most of the messages, one after another, throughout the run.",
    formula: "cost = time of that rank in its sends and in completing them, from the moment when the receiver is ready, minus \
              the mean of all ranks: the saving if all ranks sent the same amount.",
    threshold: "At least four ranks; the rank sends ≥ half of all bytes or ≥ 60 % of all messages, four times the mean of \
                the others, to at least 3 ranks, and sends most in ≥ 3/4 of those of the 16 intervals of the run that have \
                messages; cost ≥ 1 % of rank time and ≥ 1 ms.",
    doubt: "A rank that reads the input for all ranks has to send it. Between hosts, MPI_Scatter or MPI_Bcast do this in log(n) \
            steps; on one host they copy the same amount, and no saving is reported.",
    saving: "Not stated: MPI_Bcast instead of the sends saved nothing on one host, and in MPI_Scatter the root sends as many \
             bytes.",
    relations: Relations { why_late: Some(WhyLate::Sending), ..Relations::IN_CALLS },
};

/// Intervals of the run that are analysed separately.
const STRETCHES: usize = 16;

#[derive(Clone, Default)]
struct Sent {
    bytes: u64,
    messages: u64,
    time_ns: u64,
    by_stretch: [(u64, u64); STRETCHES],
    /// A few receivers: enough to know whether there are several.
    to: [u32; 3],
    receivers: u8,
    /// By group of the sending call.
    groups: Vec<(u32, u64)>,
    top: Top,
}

/// Collects how much ranks send.
pub(crate) struct Senders {
    ranks: Vec<Sent>,
    start_ns: u64,
    stretch_ns: u64,
}

impl QualityRule for Senders {
    const RULES: &'static [Rule] = &[HOT];

    fn new(kinds: &Kinds, dimensions: &Dimensions) -> Senders {
        let start_ns = dimensions.ranks.iter().map(|r| r.rows_from_ns).min().unwrap_or(0);
        let end_ns = dimensions.ranks.iter().map(|r| r.rows_until_ns).max().unwrap_or(0);
        let stretch_ns = (end_ns.saturating_sub(start_ns) / STRETCHES as u64).max(1);
        Senders { ranks: vec![Sent::default(); kinds.ranks()], start_ns, stretch_ns }
    }

    #[inline]
    fn transfer(&mut self, seen: &TransferSeen<'_>) {
        let TransferSeen { message: m, send, .. } = *seen;
        let Some(sent) = self.ranks.get_mut(m.sender.0 as usize) else { return };
        let since_ns = m.send.start_ns.saturating_sub(self.start_ns);
        let stretch = ((since_ns / self.stretch_ns) as usize).min(STRETCHES - 1);
        let bytes = m.bytes;
        sent.bytes = sent.bytes.saturating_add(bytes);
        sent.messages += 1;
        let (all, number) = &mut sent.by_stretch[stretch];
        (*all, *number) = (all.saturating_add(bytes), *number + 1);
        let known = &sent.to[..usize::from(sent.receivers)];
        if known.len() < sent.to.len() && !known.contains(&m.receiver.0) {
            sent.to[usize::from(sent.receivers)] = m.receiver.0;
            sent.receivers += 1;
        }
        let start_ns = m.send.done_start_ns.max(m.receive.start_ns).min(m.send.done_end_ns);
        let cost_ns = m.send.done_end_ns.saturating_sub(start_ns) / u64::from(m.send.done_with.max(1));
        sent.time_ns += cost_ns;
        match sent.groups.iter().position(|g| g.0 == send.group) {
            Some(at) => sent.groups[at].1 += cost_ns,
            None if sent.groups.len() < 16 => sent.groups.push((send.group, cost_ns)),
            None => {}
        }
        let (end_ns, row) = (m.send.done_end_ns, Some(m.send.row));
        sent.top.push(CostlySpan { cost_ns, rank: m.sender, start_ns, end_ns, row });
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, .. } = *context;
        if self.ranks.len() < 4 {
            return;
        }
        let by_bytes = self.hot(|s| s.bytes, |s| s.0, 0.5);
        let by_messages = self.hot(|s| s.messages, |s| s.1, 0.6);
        let Some(hot) = by_bytes.or(by_messages) else { return };
        let Some(cost_ns) = self.cost_ns(hot, &out.scope) else { return };
        let sent = &self.ranks[hot];
        let (bytes, messages) =
            self.ranks.iter().fold((0u64, 0u64), |a, s| (a.0.saturating_add(s.bytes), a.1 + s.messages));
        let rank = dimensions.ranks[hot].world_rank;

        let draft = Draft::new(&HOT, Confidence::Medium, &out.scope, cost_ns).describe(
            match by_bytes.is_some() {
                true => format!("Rank {rank} sends {} of all bytes", percent(share(sent.bytes, bytes))),
                false => format!("Rank {rank} sends {} of all messages", percent(share(sent.messages, messages))),
            },
            format!(
                "Throughout the run, rank {rank} sends {} of {} messages and {} of {}, and spends {} on sends whose receiver \
                 is ready.",
                count(sent.messages),
                count(messages),
                mpiscope_units::bytes(sent.bytes),
                mpiscope_units::bytes(bytes),
                time(sent.time_ns)
            ),
            match dimensions.is_one_host() {
                true => {
                    "Let the other ranks read or compute the data that they need themselves. On one host, a collective operation \
                     copies as much as these sends do."
                }
                false => {
                    "If all ranks receive the same data, use MPI_Bcast, and check that the MPI forwards the data along a tree: for \
                     a few ranks its default may send in the same way as this rank. Otherwise let the other ranks read or compute \
                     the data that they need themselves."
                }
            }
            .into(),
        );
        let mut costs = vec![0; self.ranks.len()];
        costs[hot] = cost_ns;
        let mut groups = sent.groups.clone();
        groups.sort_by_key(|&(group, ns)| (std::cmp::Reverse(ns), group));
        let finding = draft
            .at(groups.iter().map(|g| g.0), kinds, dimensions)
            .paid_by(&costs, dimensions)
            // MPI_Bcast saved nothing where it was tried (`tests/planted/hot_sender.c`), and in MPI_Scatter the root sends as
            // many bytes as here.
            .without(|_| None)
            .caused_by([rank])
            .int("bytes", sent.bytes)
            .int("messages", sent.messages)
            .int("all_bytes", bytes)
            .int("all_messages", messages)
            .int("sending_ns", sent.time_ns)
            .list("bytes_by_rank", self.ranks.iter().take(64).map(|s| Value::Int(s.bytes)))
            .proven_by(&sent.top, dimensions);
        out.findings.push(finding.done());
    }
}

impl Senders {
    /// The rank that has most of a quantity, if it has far more than others throughout the run.
    fn hot(&self, all: impl Fn(&Sent) -> u64, stretch: impl Fn(&(u64, u64)) -> u64, least_share: f64) -> Option<usize> {
        let hot = (0..self.ranks.len()).max_by_key(|&r| (all(&self.ranks[r]), std::cmp::Reverse(r)))?;
        let own = all(&self.ranks[hot]) as f64;
        let others: f64 = self.ranks.iter().map(|s| all(s) as f64).sum::<f64>() - own;
        let mean = others / (self.ranks.len() - 1) as f64;
        if own <= 0.0 || own < least_share * (own + others) || own < 4.0 * mean || self.ranks[hot].receivers < 3 {
            return None;
        }
        let (mut first, mut active) = (0, 0);
        for at in 0..STRETCHES {
            let most = self.ranks.iter().map(|s| stretch(&s.by_stretch[at])).max().unwrap_or(0);
            active += u32::from(most > 0);
            first += u32::from(most > 0 && stretch(&self.ranks[hot].by_stretch[at]) == most);
        }
        // A single interval is the start or the end, not the run.
        (active >= 4 && first * 4 >= active * 3).then_some(hot)
    }

    fn cost_ns(&self, hot: usize, scope: &Scope) -> Option<u64> {
        let mean = self.ranks.iter().map(|s| s.time_ns).sum::<u64>() / self.ranks.len() as u64;
        let cost_ns = self.ranks[hot].time_ns.saturating_sub(mean);
        (cost_ns >= scope.threshold_ns()).then_some(cost_ns)
    }
}
