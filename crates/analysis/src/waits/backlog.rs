//! A send waits because its receiver has not taken the messages before it.

use std::collections::VecDeque;

use mpiscope_store::{End, Message};
use rustc_hash::FxHashMap;

use super::progress::LEAST_NS;
use crate::explanation::{Cause, Wait, WaitKind};

/// No known MPI lets a sender wait with fewer small messages on their way. UCX has room for 64 in shared memory.
const FEW: usize = 16;
/// More are not counted.
const MANY: usize = 4096;

/// Messages on their way, by sender and receiver.
#[derive(Default)]
pub struct Backlogs(FxHashMap<(u32, u32), Backlog>);

/// From one rank to another.
#[derive(Default)]
struct Backlog {
    /// Receives that were not over when the last send began, in order.
    receives: VecDeque<Received>,
    last_start_ns: u64,
    /// The most that there were when a send began.
    most: usize,
}

struct Received {
    row: u64,
    facts: u32,
    start_ns: u64,
    end_ns: u64,
}

impl Backlogs {
    /// Late receiver, of a message that its send does not wait for: there is no room for it until the receiver takes one of
    /// those before it.
    ///
    /// ```text
    /// sender    [send][send][send====wait====|-]           wait = start of the last receive before done.end − done.start
    /// receiver      computes         [receive]  computes   [receive]
    /// ```
    ///
    /// Which of them the MPI waits for is not known, nor how many it has room for: a send waits if many messages are on
    /// their way, at least half of the most at any time before, and the receiver takes one while it lasts.
    ///
    /// Only messages count whose sends were over before their receives were posted. Source: Gropp & Lusk on exhausted buffers; UCX,
    /// `UCX_MM_FIFO_SIZE`.
    pub fn late_receiver(&mut self, message: &Message) -> Option<Wait> {
        let Message { sender, receiver, send, receive, .. } = message;
        if !send.is_done() || send.done_with > 1 || send.done_end_ns >= receive.start_ns {
            return None;
        }
        let backlog = self.0.entry((sender.0, receiver.0)).or_default();
        // Messages with other tags may be received in another order than they were sent.
        let is_in_order = send.start_ns >= backlog.last_start_ns;
        let mut wait = None;
        if is_in_order {
            backlog.last_start_ns = send.start_ns;
            while backlog.receives.front().is_some_and(|of| of.end_ns <= send.start_ns) {
                backlog.receives.pop_front();
            }
            backlog.most = backlog.most.max(backlog.receives.len());
            let is_long = send.done_end_ns >= send.done_start_ns + LEAST_NS;
            if is_long && backlog.receives.len() >= FEW.max(backlog.most / 2) {
                wait = backlog.wait(message, send);
            }
        }
        if backlog.receives.len() < MANY {
            let &End { row, facts, start_ns, done_end_ns: end_ns, .. } = receive;
            backlog.receives.push_back(Received { row, facts, start_ns, end_ns });
        }
        wait
    }
}

impl Backlog {
    fn wait(&self, message: &Message, send: &End) -> Option<Wait> {
        let taken = self.receives.iter().take_while(|of| of.start_ns < send.done_end_ns).last()?;
        let cause = Cause { rank: message.receiver, at_ns: taken.start_ns, row: taken.row, facts: taken.facts };
        let is_within = taken.start_ns >= send.done_start_ns + LEAST_NS;
        is_within.then_some(Wait {
            kind: WaitKind::LateReceiver,
            rank: message.sender,
            row: send.done_row,
            facts: send.done_facts,
            start_ns: send.done_start_ns,
            end_ns: taken.start_ns,
            cause: Some(cause),
        })
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_store::{CommId, RankId};

    use super::*;

    /// What waits of messages that are sent when they can be, and received every millisecond: of `room` on their way.
    fn waits(messages: u64, room: u64) -> Vec<Wait> {
        let mut backlogs = Backlogs::default();
        let received_ns = |at: u64| (at + 1) * 1_000_000;
        let mut now_ns = 0;
        let send = |at: u64| {
            let start_ns = now_ns;
            let free_ns = at.checked_sub(room).map_or(0, |of| received_ns(of) + 500);
            now_ns = free_ns.max(start_ns + 1_000);
            let end = |row, start_ns, end_ns| End {
                row,
                done_row: row,
                start_ns,
                end_ns,
                done_start_ns: start_ns,
                done_end_ns: end_ns,
                done_with: 1,
                ..End::default()
            };
            let send = end(at, start_ns, now_ns);
            let receive = end(at, received_ns(at), received_ns(at) + 1_000);
            let (sender, receiver) = (RankId(0), RankId(1));
            let message =
                Message { comm: CommId(0), sender, receiver, tag: 0, bytes: 8, sequence: at, send, receive, flags: 0 };
            backlogs.late_receiver(&message)
        };
        (0..messages).filter_map(send).collect()
    }

    #[test]
    fn a_send_without_room_waits_for_the_receiver() {
        let found = waits(40, 20);
        assert_eq!(found.len(), 20);
        let Wait { rank, row, end_ns, cause, .. } = found[5];
        assert_eq!((rank, row, end_ns), (RankId(0), 25, 6_000_000));
        assert_eq!(cause.map(|of| (of.rank, of.row)), Some((RankId(1), 5)));
    }

    #[test]
    fn few_messages_on_their_way_have_room() {
        assert_eq!(waits(40, FEW as u64 - 2), []);
        assert_eq!(waits(40, 40), []);
    }
}
