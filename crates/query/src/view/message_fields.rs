//! Messages with numeric fields, for scatter plots and histograms.
//!
//! The latency of a message goes from the entry of the call that sends it to the return of the call that completes its
//! receive. Its transfer time goes from the moment at which both sides were present to that return: the latency without the
//! time for which the receiver was late. Its queue depth is the number of messages to the same receiver, itself among them, that
//! were sent and not yet received when it was sent.

use mpiscope_store::{CallColumns, CallInfo, Message};
use rustc_hash::FxHashMap;

use super::fields::{Field, Of};
use super::reading::Basis;
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// Messages whose moments are stored in memory to count those in flight, 16 bytes each.
const MOST_IN_QUEUES: usize = 6 << 20;

/// By receiver: when messages to it were sent and received, both ascending.
#[derive(Default)]
struct Queues(FxHashMap<u32, (Vec<u64>, Vec<u64>)>);

impl Queues {
    /// Number of messages in flight to a rank at a moment.
    fn depth(&self, receiver: u32, ns: u64) -> u64 {
        let Some((sent, received)) = self.0.get(&receiver) else { return 0 };
        let gone = received.partition_point(|&at| at <= ns);
        (sent.partition_point(|&at| at <= ns).saturating_sub(gone)) as u64
    }

    /// Of the messages in flight in the window of a filter.
    fn read(scene: &OpenedRun, filter: &Filter, cancel: &Cancel) -> Result<Queues, ViewError> {
        // Of all senders: messages that do not match wait in the queue as well.
        let around = Filter { from_ns: filter.from_ns, until_ns: filter.until_ns, ..Filter::default() };
        let window = filter.window_ns();
        let kept = std::sync::atomic::AtomicUsize::new(0);
        let take = |all: &mut Queues, m: &Message| {
            let done_ns = if m.receive.is_done() { m.receive.done_end_ns } else { u64::MAX };
            if m.send.start_ns >= window.end || done_ns < window.start {
                return;
            }
            if kept.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < MOST_IN_QUEUES {
                let (sent, received) = all.0.entry(m.receiver.0).or_default();
                sent.push(m.send.start_ns);
                received.push(done_ns);
            }
        };
        let join = |mut a: Queues, b: Queues| {
            for (rank, (mut sent, mut received)) in b.0 {
                let to = a.0.entry(rank).or_default();
                to.0.append(&mut sent);
                to.1.append(&mut received);
            }
            a
        };
        let (mut found, _) = scene.fold_messages(&around, Care::Exact, cancel, Queues::default, take, join)?;
        if kept.into_inner() > MOST_IN_QUEUES {
            return Err(ViewError::Wrong(
                "the queue depths of this many messages do not fit into memory; choose a shorter window".into(),
            ));
        }
        for (sent, received) in found.0.values_mut() {
            sent.sort_unstable();
            received.sort_unstable();
        }
        Ok(found)
    }
}

/// The selected messages: those that were sent in the window.
fn wants(scene: &OpenedRun, filter: &Filter, m: &Message) -> bool {
    let facts = |rank: u32, facts: u32| scene.call_info().get(rank as usize).and_then(|f| f.get(facts as usize));
    let (sends, receives) = (facts(m.sender.0, m.send.facts), facts(m.receiver.0, m.receive.facts));
    let is_function =
        |wanted: &Vec<u32>| [sends, receives].into_iter().flatten().any(|f| wanted.binary_search(&f.function).is_ok());
    let any = |is_it: &dyn Fn(&CallInfo) -> bool| [sends, receives].into_iter().flatten().any(is_it);
    let latency_ns = latency_ns(m);
    filter.window_ns().contains(&m.send.start_ns)
        && (filter.wants_rank(m.sender.0) || filter.wants_rank(m.receiver.0))
        && filter.comm.is_none_or(|comm| comm == m.comm)
        && filter.tag.is_none_or(|tag| tag == m.tag)
        && filter.peer.is_none_or(|peer| peer == m.sender || peer == m.receiver)
        && filter.bytes_min.is_none_or(|least| m.bytes >= least)
        && filter.bytes_max.is_none_or(|most| m.bytes <= most)
        && filter.duration_min_ns.is_none_or(|least| latency_ns.is_some_and(|ns| ns >= least))
        && filter.duration_max_ns.is_none_or(|most| latency_ns.is_some_and(|ns| ns <= most))
        && filter.functions.as_ref().is_none_or(is_function)
        && filter.site.is_none_or(|site| any(&|f| f.site == site))
        && filter.region.is_none_or(|region| any(&|f| f.region == region))
}

fn latency_ns(m: &Message) -> Option<u64> {
    m.receive.is_done().then(|| m.receive.done_end_ns.saturating_sub(m.send.start_ns))
}

/// The value of a field of a message; `None` where it has none.
fn value(field: Field, m: &Message, queues: &Queues) -> Option<f64> {
    Some(match field {
        Field::Start => m.send.start_ns as f64,
        Field::End => m.receive.is_done().then_some(m.receive.done_end_ns)? as f64,
        Field::Duration => latency_ns(m)? as f64,
        Field::Bytes => m.bytes as f64,
        Field::Bandwidth => {
            let ns = latency_ns(m).filter(|&ns| ns > 0 && m.bytes > 0)?;
            m.bytes as f64 / ns as f64
        }
        Field::Transfer => {
            let both_ns = m.send.start_ns.max(m.receive.start_ns);
            m.receive.is_done().then(|| m.receive.done_end_ns.saturating_sub(both_ns))? as f64
        }
        Field::Queue => queues.depth(m.receiver.0, m.send.start_ns) as f64,
        Field::Rank => f64::from(m.sender.0),
        Field::Peer => f64::from(m.receiver.0),
        Field::Tag => f64::from(m.tag),
        Field::Comm => f64::from(m.comm.0),
        _ => return None,
    })
}

/// Calls or messages with some fields.
pub(crate) struct Source<'a, const N: usize> {
    pub scene: &'a OpenedRun,
    pub filter: &'a Filter,
    pub of: Of,
    pub care: Care,
    pub fields: [Field; N],
    queues: Queues,
}

/// A call, or a message with the call that sends it.
pub(crate) enum Item<'a> {
    Call(&'a CallInfo, &'a CallColumns, usize),
    Message(&'a Message),
}

impl Item<'_> {
    /// Number of calls it represents: more than one where polls are folded.
    pub fn times(&self) -> u64 {
        match self {
            Item::Call(_, calls, at) => calls.calls[*at].into(),
            Item::Message(_) => 1,
        }
    }

    /// Duration, or latency.
    pub fn duration_ns(&self) -> u64 {
        match self {
            Item::Call(_, calls, at) => calls.duration_ns(*at),
            Item::Message(m) => latency_ns(m).unwrap_or(0),
        }
    }

    /// Function, rank and number of the call.
    pub fn call(&self, scene: &OpenedRun) -> (u16, (u32, u64)) {
        match self {
            Item::Call(facts, calls, at) => (facts.function as u16, (calls.rank[*at], calls.row[*at])),
            Item::Message(m) => {
                let facts = scene.call_info().get(m.sender.0 as usize).and_then(|f| f.get(m.send.facts as usize));
                (facts.map_or(0, |f| f.function as u16), (m.sender.0, m.send.row))
            }
        }
    }
}

impl<'a, const N: usize> Source<'a, N> {
    /// Reads the columns that the fields need.
    pub fn new(
        scene: &'a OpenedRun,
        filter: &'a Filter,
        (of, care): (Of, Care),
        fields: [Field; N],
        cancel: &Cancel,
    ) -> Result<Source<'a, N>, ViewError> {
        let queues = match fields.contains(&Field::Queue) {
            true => Queues::read(scene, filter, cancel)?,
            false => Queues::default(),
        };
        Ok(Source { scene, filter, of, care, fields, queues })
    }

    /// Folds the items that have all of the fields.
    pub fn fold<A: Send>(
        &self,
        cancel: &Cancel,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, [f64; N], Item<'_>) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<(A, Basis), ViewError> {
        let &Source { scene, filter, of, care, fields, ref queues } = self;
        let known = |values: [Option<f64>; N]| {
            values.iter().all(Option::is_some).then(|| values.map(Option::unwrap_or_default))
        };
        match of {
            Of::Calls => {
                let take = |all: &mut A, facts: &CallInfo, calls: &CallColumns, at: usize| {
                    if let Some(values) = known(fields.map(|field| field.value_of(scene, facts, calls, at))) {
                        take(all, values, Item::Call(facts, calls, at));
                    }
                };
                scene.fold(filter, care, cancel, begin, take, join)
            }
            Of::Messages => {
                let take = |all: &mut A, m: &Message| {
                    if wants(scene, filter, m)
                        && let Some(values) = known(fields.map(|field| value(field, m, queues)))
                    {
                        take(all, values, Item::Message(m));
                    }
                };
                scene.fold_messages(filter, care, cancel, begin, take, join)
            }
        }
    }
}
