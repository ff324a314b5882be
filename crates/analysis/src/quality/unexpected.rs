//! Messages that arrive before their receive is posted, queues, order.

use mpiscope_store::Dimensions;
use mpiscope_units::{bytes, count, time};
use rustc_hash::FxHashMap;

use super::depth::{Depth, Volume};
use super::draft::Draft;
use super::kinds::{Kinds, bits};
use super::registry::{Context, MessageSeen, QualityRule};
use super::sample::{CostlySpan, Reservoir, SIZE_CLASSES, Top, size_class};
use crate::explanation::quality::{QueueRow, UnexpectedRow};
use crate::explanation::{Confidence, Explanation, Relations, Rule, Value, WhyLate};

pub(super) const UNEXPECTED: Rule = Rule {
    id: "unexpected_messages",
    what: "Messages wait in the receiver's unexpected message queue, and receives search this queue or copy from it.",
    formula: "unexpected: the send started before the receive was posted. If the send had returned by then, the time of the \
              receiving call is only search and copy; excess = Σ time − 2 × 10th percentile, by power of two of bytes; cost = \
              Σ time − 10th percentile. copies = their bytes / copy bandwidth (measured, otherwise 4 GB/s). Queues: Underwood, \
              Brightwell (ICPP 2004); eager protocol: MPI-5.0 §3.5.",
    threshold: "excess ≥ 1 % of rank time and ≥ 1 ms; or copies ≥ 2 % and ≥ 2 ms, as their time is an estimate.",
    doubt: "Calls may be long because the rank was not running. Check the proof, and unexpected_max in queues.",
    saving: "The run in which these calls take less time by the cost.",
    relations: Relations { explains_time_in_calls: true, why_late: Some(WhyLate::Queues), ..Relations::LATE },
};

pub(super) const ORDER: Rule = Rule {
    id: "out_of_order",
    what: "A rank receives messages of a sender in a different order than they were sent, and searches queues for them.",
    formula: "A message is out of order if a later message of the same sender has its receive posted earlier. \
              cost: as for unexpected_messages, for messages that are out of order.",
    threshold: "As for unexpected_messages, and more than half of its cost. The finding unexpected_messages then includes it \
                (evidence out_of_order_messages), and this rule reports nothing, as the time is the same.",
    doubt: "Order is compared only with the previous message: in a reversed sequence each message counts, of two swapped \
            neighbours only one.",
    saving: "Part of that of unexpected_messages.",
    relations: Relations::NONE,
};

#[derive(Clone, Default)]
struct Site {
    messages: u64,
    unexpected: u64,
    unexpected_bytes: u64,
    kept: u64,
    kept_bytes: u64,
    receive_ns: u64,
}

/// Receives of buffered messages of one size.
#[derive(Clone, Copy, Default)]
struct Search {
    count: u64,
    ns: u64,
    disordered: u64,
    disordered_ns: u64,
}

#[derive(Default)]
struct Queues {
    posted: Depth,
    unexpected: Depth,
    /// Those that were buffered.
    kept: Volume,
    sends: Depth,
    messages: u64,
    unexpected_count: u64,
    out_of_order: u64,
    kept_bytes: u64,
    searches: Vec<Search>,
    /// By sender: rows of send and receive of the previous message.
    before: FxHashMap<u32, (u64, u64)>,
    top: Top,
}

/// Collects them.
pub(crate) struct Unexpected {
    sites: Vec<Site>,
    ranks: Vec<Queues>,
    times: Vec<Reservoir>,
}

impl QualityRule for Unexpected {
    const RULES: &'static [Rule] = &[ORDER, UNEXPECTED];

    fn new(kinds: &Kinds, _dimensions: &Dimensions) -> Unexpected {
        Unexpected {
            sites: vec![Site::default(); kinds.groups.len()],
            ranks: std::iter::repeat_with(Queues::default).take(kinds.ranks()).collect(),
            times: vec![Reservoir::default(); SIZE_CLASSES],
        }
    }

    #[inline]
    fn message(&mut self, seen: &MessageSeen<'_>) {
        let MessageSeen { message: m, receive } = *seen;
        if m.send.is_done()
            && m.send.done_row != m.send.row
            && let Some(sender) = self.ranks.get_mut(m.sender.0 as usize)
        {
            sender.sends.push(m.send.end_ns, m.send.done_end_ns);
        }
        let (Some(site), Some(queues)) =
            (self.sites.get_mut(receive.group as usize), self.ranks.get_mut(m.receiver.0 as usize))
        else {
            return;
        };
        site.messages += 1;
        queues.messages += 1;
        // Messages of one pair come in order of either their sends or their receives; the other order is compared.
        let rows = (m.send.row, m.receive.row);
        let before = queues.before.insert(m.sender.0, rows).unwrap_or(rows);
        let disordered = (rows.0 > before.0 && rows.1 < before.1) || (rows.0 < before.0 && rows.1 > before.1);
        queues.out_of_order += u64::from(disordered);
        let (sent_ns, posted_ns) = (m.send.start_ns, m.receive.start_ns);
        if sent_ns >= posted_ns {
            queues.posted.push(posted_ns, sent_ns);
            return;
        }
        site.unexpected += 1;
        site.unexpected_bytes = site.unexpected_bytes.saturating_add(m.bytes);
        queues.unexpected_count += 1;
        queues.unexpected.push(sent_ns, posted_ns);
        if !m.send.is_done() || m.send.done_end_ns > posted_ns || receive.bits & bits::BOTH != 0 {
            return;
        }
        // It was buffered: the receiving call found and copied it, and did nothing else.
        let ns = m.receive.end_ns.saturating_sub(posted_ns);
        queues.kept.push(sent_ns, posted_ns, m.bytes);
        site.kept += 1;
        site.kept_bytes = site.kept_bytes.saturating_add(m.bytes);
        site.receive_ns += ns;
        queues.kept_bytes = queues.kept_bytes.saturating_add(m.bytes);
        if queues.searches.is_empty() {
            queues.searches = vec![Search::default(); SIZE_CLASSES];
        }
        let class = size_class(m.bytes);
        let search = &mut queues.searches[class];
        search.count += 1;
        search.ns += ns;
        if disordered {
            search.disordered += 1;
            search.disordered_ns += ns;
        }
        self.times[class].push(m.bytes, ns);
        let (start_ns, end_ns, row) = (posted_ns, m.receive.end_ns, Some(m.receive.row));
        queues.top.push(CostlySpan { cost_ns: ns, rank: m.receiver, start_ns, end_ns, row });
    }

    fn end_batch(&mut self) {
        for queues in &mut self.ranks {
            queues.posted.evaluate();
            queues.unexpected.evaluate();
            queues.kept.evaluate();
            queues.sends.evaluate();
        }
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, .. } = *context;
        let mut order: Vec<usize> = (0..self.sites.len()).filter(|&g| self.sites[g].messages > 0).collect();
        order.sort_by_key(|&g| (std::cmp::Reverse((self.sites[g].receive_ns, self.sites[g].unexpected)), g));
        for &group in &order {
            let site = &self.sites[group];
            out.unexpected.push(UnexpectedRow {
                function: kinds.function_name(group as u32),
                site: kinds.site(group as u32, dimensions),
                messages: site.messages,
                unexpected: site.unexpected,
                unexpected_bytes: site.unexpected_bytes,
                kept: site.kept,
                kept_bytes: site.kept_bytes,
                receive_ns: site.receive_ns,
            });
        }
        for (row, q) in dimensions.ranks.iter().zip(&self.ranks) {
            out.queues.push(QueueRow {
                rank: row.world_rank,
                posted_max: q.posted.most(),
                unexpected_max: q.unexpected.most(),
                kept_bytes_max: q.kept.most(),
                sends_max: q.sends.most(),
                messages: q.messages,
                unexpected: q.unexpected_count,
                out_of_order: q.out_of_order,
            });
        }
        self.report(&order, context, out);
    }
}

impl Unexpected {
    fn report(&self, order: &[usize], context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, machine, .. } = *context;
        let quick: Vec<u64> = self.times.iter().map(|r| r.quantile_ns(0.1)).collect();
        let over = |ns: u64, times: u64, class: usize| ns.saturating_sub(times.saturating_mul(quick[class]));
        let (mut excess_ns, mut searching_ns, mut disordered_ns, mut disordered, mut kept_bytes) = (0, 0, 0, 0, 0u64);
        let mut top = Top::default();
        let mut costs = vec![0; self.ranks.len()];
        let copy_ns = |bytes: u64| (bytes as f64 * 1e9 / machine.copy_bandwidth()) as u64;
        for (cost, q) in costs.iter_mut().zip(&self.ranks) {
            for (class, s) in q.searches.iter().enumerate() {
                let ns = over(s.ns, s.count, class);
                *cost += ns;
                searching_ns += ns;
                // Twice the fastest tenth: calls that do not search differ by as much.
                excess_ns += over(s.ns, 2 * s.count, class);
                disordered_ns += over(s.disordered_ns, s.disordered, class);
                disordered += s.disordered;
            }
            kept_bytes = kept_bytes.saturating_add(q.kept_bytes);
            top.merge(&q.top);
        }
        let copies_ns = copy_ns(kept_bytes);
        let threshold = out.scope.threshold_ns();
        let copying = copies_ns >= 2 * threshold;
        if excess_ns < threshold && !copying {
            return;
        }
        let mut cost_ns = searching_ns;
        if copying {
            cost_ns += copies_ns;
            costs.iter_mut().zip(&self.ranks).for_each(|(cost, q)| *cost += copy_ns(q.kept_bytes));
        }
        let all: u64 = self.ranks.iter().map(|q| q.messages).sum();
        let unexpected: u64 = self.ranks.iter().map(|q| q.unexpected_count).sum();
        let deepest = self.ranks.iter().map(|q| q.unexpected.most()).max().unwrap_or(0);
        let is_disordered = disordered_ns * 2 > searching_ns;
        let confidence = if copying { Confidence::Low } else { Confidence::Medium };
        let advice = if is_disordered {
            "Receive in the order of sending, or post the receives before the sends start (MPI_Irecv, then notify the \
             sender). Combine many messages with different tags into one message."
        } else {
            "Post receives before the sends start: call MPI_Irecv at the start of the step, and complete it at its end. Where \
             senders run ahead, let them wait for a reply from time to time."
        };
        let order_text = if is_disordered {
            format!(
                " Most of this is search: {} were received in a different order than they were sent.",
                count(disordered)
            )
        } else {
            String::new()
        };
        let finding = Draft::new(&UNEXPECTED, confidence, &out.scope, cost_ns).describe(
            format!("{} of {} messages were sent before their receive was posted", count(unexpected), count(all)),
            format!(
                "Up to {} messages were in a queue. Receives of buffered messages took {} longer than the fastest tenth of \
                 their size.{order_text} The MPI copied {} of such messages.",
                count(deepest),
                time(searching_ns),
                bytes(kept_bytes)
            ),
            advice.into(),
        );
        let groups = order.iter().filter(|&&g| self.sites[g].kept > 0).map(|&g| g as u32);
        let depths = self.ranks.iter().map(|q| Value::Int(q.unexpected.most()));
        let finding = finding
            .at(groups, kinds, dimensions)
            .paid_by(&costs, dimensions)
            .int("messages", all)
            .int("unexpected_messages", unexpected)
            .int("search_ns", searching_ns)
            .int("copied_bytes", kept_bytes)
            .int("copy_ns", copies_ns)
            .int("out_of_order_messages", disordered)
            .int("unexpected_max", deepest)
            .list("unexpected_max_by_rank", depths.take(64))
            .proven_by(&top, dimensions);
        out.findings.push(finding.done());
    }
}
