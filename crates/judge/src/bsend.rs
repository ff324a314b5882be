//! Room for buffered sends: the pending messages against the attached buffer (MPI-5.0 §3.6.1).
//!
//! A message needs room until its receive has started. The moments of the calls decide whether that was before the next send, so all of it is
//! checked when all events are read.

use rustc_hash::FxHashMap;

use crate::judge::Judge;
use crate::messages::Messages;
use crate::report::{CallRef, Draft};

/// Messages of one buffer that are remembered; the oldest have gone when there are more.
const MOST: usize = 1 << 14;

/// Messages of a process that are always kept, for calls that wait until its buffer is empty.
const FEW: usize = 64;

struct Sent {
    bytes: u64,
    at_ns: i128,
    place: CallRef,
    /// When its receive was begun.
    received_ns: Option<i128>,
}

/// A buffer while it is attached.
#[derive(Default)]
struct Buffer {
    /// Unknown when none.
    bytes: Option<u64>,
    overhead: u64,
    sent: Vec<Sent>,
    /// All that was ever sent, so much room.
    all: u64,
    is_cut: bool,
}

/// Buffers of all processes.
#[derive(Default)]
pub(crate) struct Buffers {
    /// By process and communicator, 0 for the buffer of the process.
    of: FxHashMap<(u32, u32), Vec<Buffer>>,
    /// Messages by number, to process and communicator, buffer and place in it.
    messages: FxHashMap<u32, ((u32, u32), usize, usize)>,
    /// Messages that may not be transmitted yet, by the process that has sent them, with the communicator that they take room of.
    under_way: FxHashMap<u32, Vec<(u32, u32)>>,
}

impl Buffers {
    /// A buffer is attached (0: none any more, the greatest number: of unknown size).
    pub fn attached(&mut self, process: u32, comm: u32, bytes: u64, overhead: u64) {
        let list = self.of.entry((process, comm)).or_default();
        // One that always had room is not needed any more.
        if let Some(last) = list.last_mut()
            && last.bytes.is_none_or(|room| last.all <= room)
        {
            last.sent = Vec::new();
        }
        list.push(Buffer { bytes: (bytes != u64::MAX).then_some(bytes), overhead, ..Buffer::default() });
    }

    /// A message has to be transmitted before its buffer is empty. Which messages those are has to follow from the process's
    /// own calls: whether a receive was read before is chance. Of those whose receive has begun in the replay none is waited
    /// for any more.
    fn add(&mut self, process: u32, message: u32, comm: u32, messages: &mut Messages) {
        messages.hold_message(message);
        let list = self.under_way.entry(process).or_default();
        if list.len() >= FEW && list.len() == list.capacity() {
            let is_over = |id: u32| {
                let receive = messages.messages.get(id).and_then(|m| m.matched);
                receive.is_some_and(|r| messages.receives.get(r).is_none_or(|r| r.is_posted))
            };
            let (over, mut left): (Vec<_>, Vec<_>) = list.drain(..).partition(|&(id, _)| is_over(id));
            let too_many = left.len().saturating_sub(MOST / 2);
            left.drain(..too_many).chain(over).for_each(|(id, _)| messages.release_message(id));
            left.reserve(left.len().max(FEW));
            *list = left;
        }
        list.push((message, comm));
    }

    /// A buffered send begins.
    pub fn sent(
        &mut self,
        (process, comm): (u32, u32),
        message: u32,
        bytes: u64,
        at_ns: i128,
        place: CallRef,
        messages: &mut Messages,
    ) {
        // A communicator's own comes before the one of the process (MPI-5.0 §3.6).
        let is_own = self.of.get(&(process, comm)).and_then(|l| l.last()).is_some_and(|b| b.bytes != Some(0));
        let whose = (process, if is_own { comm } else { 0 });
        self.add(process, message, whose.1, messages);
        let Some(list) = self.of.get_mut(&whose) else { return };
        let number = list.len() - 1;
        let Some(buffer) = list.last_mut().filter(|b| b.bytes.is_some_and(|n| n > 0)) else { return };
        if buffer.sent.len() >= MOST {
            (buffer.sent, buffer.is_cut) = (Vec::new(), true);
        }
        if buffer.is_cut {
            return;
        }
        let bytes = bytes.saturating_add(buffer.overhead);
        buffer.all = buffer.all.saturating_add(bytes);
        self.messages.insert(message, (whose, number, buffer.sent.len()));
        buffer.sent.push(Sent { bytes, at_ns, place, received_ns: None });
    }

    /// Messages in a buffer of a process that may have to be waited for; all of them are held. They are forgotten where the
    /// call `waits`, as they are transmitted when it returns.
    pub fn under_way(&mut self, (process, comm): (u32, u32), waits: bool, messages: &mut Messages) -> Box<[u32]> {
        let Some(list) = self.under_way.get_mut(&process) else { return Box::default() };
        let of = |&(_, whose): &(u32, u32)| whose == comm;
        let found: Box<[u32]> = list.iter().filter(|one| of(one)).map(|&(message, _)| message).collect();
        match waits {
            true => list.retain(|one| !of(one)),
            false => found.iter().for_each(|&id| messages.hold_message(id)),
        }
        found
    }

    /// Nobody waits for any of them any more.
    fn forget(&mut self, messages: &mut Messages) {
        for (id, _) in self.under_way.drain().flat_map(|(_, list)| list) {
            messages.release_message(id);
        }
    }

    /// There is no such message.
    pub fn cancelled(&mut self, process: u32, message: u32, messages: &mut Messages) {
        if let Some(list) = self.under_way.get_mut(&process)
            && let Some(at) = list.iter().position(|&(other, _)| other == message)
        {
            list.remove(at);
            messages.release_message(message);
        }
    }

    /// Its receive has begun.
    pub fn received(&mut self, message: u32, at_ns: i128) {
        if let Some((whose, buffer, at)) = self.messages.remove(&message)
            && let Some(sent) = self.of.get_mut(&whose).and_then(|l| l.get_mut(buffer)?.sent.get_mut(at))
        {
            sent.received_ns = Some(at_ns);
        }
    }

    /// Sends for which there was not enough room: where, bytes that it needs, and how many were free.
    fn short(&self, error_ns: i128) -> Vec<(CallRef, u64, u64)> {
        let mut out = Vec::new();
        for buffer in self.of.values().flatten() {
            let Some(room) = buffer.bytes.filter(|&room| buffer.all > room) else { continue };
            let mut under_way: Vec<&Sent> = Vec::new();
            for sent in &buffer.sent {
                under_way.retain(|m| m.received_ns.is_none_or(|at| at > sent.at_ns + error_ns));
                let taken: u64 = under_way.iter().map(|m| m.bytes).sum();
                // A message that alone is too large is reported by its process.
                if taken > 0 && sent.bytes <= room && taken.saturating_add(sent.bytes) > room {
                    out.push((sent.place, sent.bytes, room.saturating_sub(taken)));
                    break;
                }
                under_way.push(sent);
            }
        }
        out.sort_by_key(|(place, ..)| (place.process, place.at));
        out
    }
}

impl Judge {
    /// Everything has been read.
    pub(crate) fn report_short_buffers(&mut self) {
        self.buffers.forget(&mut self.messages);
        let error_ns = i128::from(self.settings.clock_error_ns);
        for (place, needs, free) in self.buffers.short(error_ns) {
            let text = format!(
                "The message needs {needs} bytes of the attached buffer, but {free} are free: earlier messages were not yet \
                 received."
            );
            let values = [needs, free].map(|v| i64::try_from(v).unwrap_or(i64::MAX));
            let draft = Draft::new("buffered-send.buffer").text(text);
            let draft = draft.number("value0", values[0]).number("value1", values[1]);
            self.sink.add(draft.party(place, "calls"));
        }
    }
}
