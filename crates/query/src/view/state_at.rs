//! The state at a moment: the call of each rank, whether it waits, and the messages between posting and completion.

use mpiscope_store::{CallColumns, CallInfo, CommId, End, Lone, LoneReason, Message, RankId, WaitSpan};
use serde::Serialize;

use super::events::{wants_message, wants_side};
use super::opened_run::{asking, joined};
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// The stage of a message between its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Sent before its receive is posted. The MPI library has it in its queue of unexpected messages, or the sender waits.
    Unexpected,
    /// Its receive is posted, and the send has not started.
    Posted,
    /// Sent, its receive is posted, and no call has completed the receive yet.
    InFlight,
    /// Received; no call has completed the send yet.
    Received,
}

impl Stage {
    /// All stages; the index is the number in frames.
    pub const ALL: [Stage; 4] = [Stage::Unexpected, Stage::Posted, Stage::InFlight, Stage::Received];
}

/// One side of a message: the call that starts it, and the moment when a call completes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSide {
    /// Number of the call in its rank.
    pub row: u64,
    /// Entry of the call, ns since the origin of the run.
    pub start_ns: u64,
    /// `None` if no call completes it.
    pub done_ns: Option<u64>,
}

impl MessageSide {
    fn of(end: &End) -> MessageSide {
        MessageSide { row: end.row, start_ns: end.start_ns, done_ns: end.is_done().then_some(end.done_end_ns) }
    }

    fn has_begun(&self, at_ns: u64) -> bool {
        self.start_ns <= at_ns
    }

    /// Whether it has started, and no call has completed it yet.
    fn is_open(&self, at_ns: u64) -> bool {
        self.has_begun(at_ns) && self.done_ns.is_none_or(|done_ns| at_ns < done_ns)
    }
}

/// A message from the start of its first side to the completion of its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// On which the message is matched.
    pub comm: CommId,
    /// Rank that sends.
    pub sender: RankId,
    /// Rank that receives.
    pub receiver: RankId,
    /// `None` for a receive from any tag that got no message.
    pub tag: Option<i32>,
    /// Payload as sent; the buffer size of a receive with an unknown sender.
    pub bytes: u64,
    /// `None` for a receive with an unknown sender.
    pub send: Option<MessageSide>,
    /// `None` if no receive was posted.
    pub receive: Option<MessageSide>,
    /// It is never received: completing the send does not end it.
    pub is_lost: bool,
}

impl Lifetime {
    fn of(m: &Message) -> Lifetime {
        Lifetime {
            comm: m.comm,
            sender: m.sender,
            receiver: m.receiver,
            tag: Some(m.tag),
            bytes: m.bytes,
            send: Some(MessageSide::of(&m.send)),
            receive: Some(MessageSide::of(&m.receive)),
            is_lost: false,
        }
    }

    fn of_lone(l: &Lone) -> Lifetime {
        let side = Some(MessageSide::of(&l.end));
        Lifetime {
            comm: l.comm,
            sender: if l.is_send { l.rank } else { l.peer },
            receiver: if l.is_send { l.peer } else { l.rank },
            tag: l.tag,
            bytes: l.bytes,
            send: side.filter(|_| l.is_send),
            receive: side.filter(|_| !l.is_send),
            is_lost: l.is_send && l.reason == LoneReason::NeverHappened,
        }
    }

    /// `None` before it starts and after it is completed. With only one side known, the completion of that side decides.
    pub fn stage(&self, at_ns: u64) -> Option<Stage> {
        let has_begun = |side: Option<MessageSide>| side.is_some_and(|side| side.has_begun(at_ns));
        let is_open = |side: Option<MessageSide>| side.is_some_and(|side| side.is_open(at_ns));
        match (has_begun(self.send), has_begun(self.receive)) {
            (false, false) => None,
            (true, false) if self.is_lost || self.receive.is_some() => Some(Stage::Unexpected),
            (true, false) => is_open(self.send).then_some(Stage::InFlight),
            (false, true) if self.send.is_some() => Some(Stage::Posted),
            (false, true) => is_open(self.receive).then_some(Stage::Posted),
            (true, true) if is_open(self.receive) => Some(Stage::InFlight),
            (true, true) => is_open(self.send).then_some(Stage::Received),
        }
    }

    /// When it starts.
    fn since_ns(&self) -> u64 {
        let begin = |side: Option<MessageSide>| side.map_or(u64::MAX, |side| side.start_ns);
        begin(self.send).min(begin(self.receive))
    }

    /// Oldest first, in the same order for every reader.
    fn order(&self) -> impl Ord + use<> {
        let begin = |side: Option<MessageSide>| side.map(|side| (side.row, side.start_ns));
        (self.since_ns(), self.sender, self.receiver, begin(self.send), begin(self.receive))
    }

    /// Whether it is pending at some moment of a window.
    fn is_within(&self, from_ns: u64, until_ns: u64) -> bool {
        let is_open_from =
            |side: Option<MessageSide>| side.is_some_and(|side| side.done_ns.is_none_or(|done| done > from_ns));
        self.since_ns() < until_ns && (self.is_lost || is_open_from(self.send) || is_open_from(self.receive))
    }
}

/// Messages and their payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Number of messages.
    pub count: u64,
    /// As in [`Lifetime::bytes`].
    pub bytes: u64,
}

impl Load {
    fn add(&mut self, bytes: u64) {
        self.join(Load { count: 1, bytes });
    }

    fn join(&mut self, other: Load) {
        self.count += other.count;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// A rank at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtRank {
    /// The innermost call that it is in: row, function, entry.
    pub call: Option<(u64, u32, u64)>,
    /// Whether it waits for another rank.
    pub waits: bool,
    /// Its sends that no call has completed, as far as they are known.
    pub sends: Load,
    /// Receives that it has posted and no call has completed.
    pub receives: Load,
    /// Messages sent to it before a receive is posted.
    pub unexpected: Load,
}

/// The run at a moment.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// By rank; empty for ranks that are not selected.
    pub ranks: Vec<AtRank>,
    /// Oldest first.
    pub messages: Vec<(Lifetime, Stage)>,
    /// Their number, also where `messages` has only some.
    pub total: u64,
}

/// Messages of `filter` that are pending at some moment of its window, oldest first.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn lifetimes(scene: &OpenedRun, filter: &Filter, cancel: &Cancel) -> Result<Vec<Lifetime>, ViewError> {
    let take = |all: &mut Vec<Lifetime>, m: &Message| {
        all.extend(wants_message(scene, filter, m).then(|| Lifetime::of(m)));
    };
    let wanted = scene.wanted(filter);
    let mut found = scene.rows.fold_messages_under_way(&wanted, &asking(cancel), Vec::new, take, joined)?;
    let take = |all: &mut Vec<Lifetime>, l: &Lone| {
        let is_wanted = |m: &Lifetime| {
            filter.wants_envelope(m.comm, [m.sender, m.receiver], m.tag, m.bytes)
                && wants_side(scene, filter, l.rank, &l.end)
        };
        all.extend(Some(Lifetime::of_lone(l)).filter(is_wanted));
    };
    found.extend(scene.rows.fold_unmatched(&wanted, &asking(cancel), Vec::new, take, joined)?);
    let (from_ns, until_ns) = (filter.from_ns.unwrap_or(0), filter.until_ns.unwrap_or(u64::MAX));
    found.retain(|message| message.is_within(from_ns, until_ns));
    found.sort_unstable_by_key(Lifetime::order);
    Ok(found)
}

/// Messages of `filter` that are pending at a moment, at most `limit` of them individually, and the state of its ranks.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn moment(
    scene: &OpenedRun,
    filter: &Filter,
    at_ns: u64,
    limit: usize,
    cancel: &Cancel,
) -> Result<Moment, ViewError> {
    let at = Filter { from_ns: Some(at_ns), until_ns: Some(at_ns.saturating_add(1)), ..filter.clone() };
    let mut found = Moment { ranks: vec![AtRank::default(); scene.ranks()], ..Moment::default() };
    let messages = lifetimes(scene, &at, cancel)?;
    found.messages = messages.into_iter().filter_map(|m| Some((m, m.stage(at_ns)?))).collect();
    for (m, stage) in &found.messages {
        let mut add = |rank: RankId, which: fn(&mut AtRank) -> &mut Load| {
            if let Some(of_rank) = found.ranks.get_mut(rank.0 as usize).filter(|_| filter.wants_rank(rank.0)) {
                which(of_rank).add(m.bytes);
            }
        };
        if m.send.is_some_and(|side| side.is_open(at_ns)) {
            add(m.sender, |of| &mut of.sends);
        }
        if m.receive.is_some_and(|side| side.is_open(at_ns)) {
            add(m.receiver, |of| &mut of.receives);
        }
        if *stage == Stage::Unexpected {
            add(m.receiver, |of| &mut of.unexpected);
        }
    }
    found.total = found.messages.len() as u64;
    found.messages.truncate(limit);
    add_calls(scene, filter, at_ns, &mut found.ranks, cancel)?;
    Ok(found)
}

/// The calls that ranks are in: all calls, since a rank is in one place.
fn add_calls(
    scene: &OpenedRun,
    filter: &Filter,
    at_ns: u64,
    ranks: &mut [AtRank],
    cancel: &Cancel,
) -> Result<(), ViewError> {
    let here = Filter {
        from_ns: Some(at_ns),
        until_ns: Some(at_ns.saturating_add(1)),
        ranks: filter.ranks.clone(),
        thread: filter.thread,
        ..Filter::default()
    };
    type Inside = Vec<(u32, (u64, u32, u64))>;
    let take = |all: &mut Inside, facts: &CallInfo, calls: &CallColumns, at: usize| {
        if calls.end_ns[at] > at_ns {
            all.push((calls.rank[at], (calls.start_ns[at], facts.function, calls.row[at])));
        }
    };
    let (inside, _) = scene.fold(&here, Care::Exact, cancel, Vec::new, take, joined)?;
    for (rank, (start_ns, function, row)) in inside {
        if let Some(of_rank) = ranks.get_mut(rank as usize)
            && of_rank.call.is_none_or(|(other_row, _, other_ns)| (other_ns, other_row) < (start_ns, row))
        {
            of_rank.call = Some((row, function, start_ns));
        }
    }
    let take = |all: &mut Vec<u32>, wait: &WaitSpan| {
        if wait.start_ns <= at_ns && at_ns < wait.end_ns {
            all.push(wait.rank.0);
        }
    };
    for rank in scene.rows.fold_wait_spans(&scene.wanted(&here), &asking(cancel), Vec::new, take, joined)? {
        if let Some(of_rank) = ranks.get_mut(rank as usize) {
            of_rank.waits = true;
        }
    }
    Ok(())
}
