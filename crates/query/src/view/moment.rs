//! What is under way at a moment: the call that each rank is in, whether it waits, and the messages between posting and completion.

use mpiscope_store::{CallColumns, CommId, End, Facts, Lone, LoneReason, Message, RankId, WaitSpan};
use serde::Serialize;

use super::events::{wants_message, wants_side};
use super::scene::{asking, joined};
use super::{Cancel, Care, Filter, Scene, ViewError};

/// Where a message is between its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Sent before its receive is posted. The MPI has it in its queue of unexpected messages, or the sender waits with it.
    Unexpected,
    /// Its receive is posted, and the send has not begun.
    Posted,
    /// Sent, its receive is posted, and no call has completed that yet.
    InFlight,
    /// Received; no call has completed the send yet.
    Received,
}

impl Stage {
    /// All of them; the place is the number in frames.
    pub const ALL: [Stage; 4] = [Stage::Unexpected, Stage::Posted, Stage::InFlight, Stage::Received];

    /// Of a message of which both sides are known; nothing before it begins and after it is done.
    fn of(message: &Message, at_ns: u64) -> Option<Stage> {
        let (send, receive) = (&message.send, &message.receive);
        match (send.start_ns <= at_ns, receive.start_ns <= at_ns) {
            (false, false) => None,
            (true, false) => Some(Stage::Unexpected),
            (false, true) => Some(Stage::Posted),
            (true, true) if is_open(receive, at_ns) => Some(Stage::InFlight),
            (true, true) => is_open(send, at_ns).then_some(Stage::Received),
        }
    }

    /// Of a message of which one side is known: the other is where that side's completion puts it.
    fn of_lone(lone: &Lone, at_ns: u64) -> Option<Stage> {
        let never = lone.reason == LoneReason::NeverHappened;
        match (lone.end.start_ns <= at_ns, lone.is_send) {
            (false, _) => None,
            // No process has ever received it: completing the send does not end that.
            (true, true) if never => Some(Stage::Unexpected),
            (true, true) => is_open(&lone.end, at_ns).then_some(Stage::InFlight),
            (true, false) => is_open(&lone.end, at_ns).then_some(Stage::Posted),
        }
    }
}

/// Whether a side that has begun is not completed yet.
fn is_open(end: &End, at_ns: u64) -> bool {
    !end.is_done() || at_ns < end.done_end_ns
}

/// A message that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    pub stage: Stage,
    pub comm: CommId,
    pub sender: RankId,
    pub receiver: RankId,
    /// Of a receive from any tag that got no message: nothing.
    pub tag: Option<i32>,
    /// Payload as the sender says; the room of a receive whose sender is not known.
    pub bytes: u64,
    /// Row and entry of the send, if it is known.
    pub sent: Option<(u64, u64)>,
    /// Row and entry of the call that posted the receive.
    pub posted: Option<(u64, u64)>,
}

impl UnderWay {
    fn of(m: &Message, at_ns: u64) -> Option<UnderWay> {
        Some(UnderWay {
            stage: Stage::of(m, at_ns)?,
            comm: m.comm,
            sender: m.sender,
            receiver: m.receiver,
            tag: Some(m.tag),
            bytes: m.bytes,
            sent: Some((m.send.row, m.send.start_ns)),
            posted: Some((m.receive.row, m.receive.start_ns)),
        })
    }

    fn of_lone(l: &Lone, at_ns: u64) -> Option<UnderWay> {
        let side = Some((l.end.row, l.end.start_ns));
        Some(UnderWay {
            stage: Stage::of_lone(l, at_ns)?,
            comm: l.comm,
            sender: if l.is_send { l.rank } else { l.peer },
            receiver: if l.is_send { l.peer } else { l.rank },
            tag: l.tag,
            bytes: l.bytes,
            sent: side.filter(|_| l.is_send),
            posted: side.filter(|_| !l.is_send),
        })
    }

    /// When it began.
    fn since_ns(&self) -> u64 {
        let begin = |side: Option<(u64, u64)>| side.map_or(u64::MAX, |(_, ns)| ns);
        begin(self.sent).min(begin(self.posted))
    }
}

/// Messages and their payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    pub count: u64,
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
    /// Its sends that no call has completed, as far as they are.
    pub sends: Load,
    /// Receives that it has posted and no call has completed.
    pub receives: Load,
    /// Sent to it before a receive is posted.
    pub unexpected: Load,
}

/// The run at a moment.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// By rank; of ranks that are not wanted nothing is known.
    pub ranks: Vec<AtRank>,
    /// The oldest first.
    pub messages: Vec<UnderWay>,
    /// How many there are, also where `messages` has only some.
    pub total: u64,
}

/// Messages of `filter` that are under way at a moment, with at most `limit` of them one by one, and what its ranks do.
pub fn moment(scene: &Scene, filter: &Filter, at_ns: u64, limit: usize, cancel: &Cancel) -> Result<Moment, ViewError> {
    let at = Filter { from_ns: Some(at_ns), until_ns: Some(at_ns.saturating_add(1)), ..filter.clone() };
    let mut found = Moment { ranks: vec![AtRank::default(); scene.ranks()], ..Moment::default() };
    let take = |all: &mut Vec<(UnderWay, [bool; 2])>, m: &Message| {
        let message = UnderWay::of(m, at_ns).filter(|_| wants_message(scene, filter, m));
        all.extend(message.map(|message| (message, [is_open(&m.send, at_ns), is_open(&m.receive, at_ns)])));
    };
    let mut under_way =
        scene.rows.fold_messages_under_way(&scene.wanted(&at), &asking(cancel), Vec::new, take, joined)?;
    let take = |all: &mut Vec<(UnderWay, [bool; 2])>, l: &Lone| {
        let is_wanted = |m: &UnderWay| {
            filter.wants_envelope(m.comm, [m.sender, m.receiver], m.tag, m.bytes)
                && wants_side(scene, filter, l.rank, &l.end)
        };
        let message = UnderWay::of_lone(l, at_ns).filter(is_wanted);
        let is_open = is_open(&l.end, at_ns);
        all.extend(message.map(|message| (message, [is_open && l.is_send, is_open && !l.is_send])));
    };
    // A message that is never received is under way until the end.
    under_way.extend(scene.rows.fold_unmatched(&scene.wanted(&at), &asking(cancel), Vec::new, take, joined)?);

    for (m, [send_is_open, receive_is_open]) in &under_way {
        let mut add = |rank: RankId, which: fn(&mut AtRank) -> &mut Load| {
            if let Some(of_rank) = found.ranks.get_mut(rank.0 as usize).filter(|_| filter.wants_rank(rank.0)) {
                which(of_rank).add(m.bytes);
            }
        };
        if m.sent.is_some_and(|(_, ns)| ns <= at_ns) && *send_is_open {
            add(m.sender, |of| &mut of.sends);
        }
        if m.posted.is_some_and(|(_, ns)| ns <= at_ns) && *receive_is_open {
            add(m.receiver, |of| &mut of.receives);
        }
        if m.stage == Stage::Unexpected {
            add(m.receiver, |of| &mut of.unexpected);
        }
    }
    found.total = under_way.len() as u64;
    found.messages = under_way.into_iter().map(|(message, _)| message).collect();
    found.messages.sort_unstable_by_key(|m| (m.since_ns(), m.sender, m.receiver, m.sent, m.posted));
    found.messages.truncate(limit);
    add_calls(scene, filter, at_ns, &mut found.ranks, cancel)?;
    Ok(found)
}

/// What ranks are in: calls whatever they are of, since a rank is in one place.
fn add_calls(
    scene: &Scene,
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
    let take = |all: &mut Inside, facts: &Facts, calls: &CallColumns, at: usize| {
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
