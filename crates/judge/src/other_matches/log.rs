//! What each process did, in order, so that it can be replayed.
//!
//! It grows with the run: a run with more acts than are kept is not replayed at all, whatever was read first.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::collectives::Joined;
use crate::messages::{Message, Messages, Receive};
use crate::replay::{Need, Step};
use crate::report::CallRef;
use crate::signature::Signature;

/// Most acts of all processes that are kept.
const MOST: usize = 1 << 18;

/// No message.
pub(crate) const NONE: u32 = u32::MAX;

/// A message.
pub(crate) struct Sent {
    pub from: u32,
    pub to: u32,
    pub comm: u32,
    pub tag: i32,
    pub data: Option<Signature>,
    /// Its send completes only when it is received.
    pub waits: bool,
    pub place: CallRef,
}

/// A posted receive.
pub(crate) struct Posted {
    pub by: u32,
    pub comm: u32,
    /// The source; `None` for a wildcard of the program.
    pub source: Option<u32>,
    pub tag: Option<i32>,
    pub data: Option<Signature>,
    pub place: CallRef,
    /// The message that it received in the run.
    pub took: u32,
}

/// What a call waits for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Until {
    Sent(u32),
    Received(u32),
    Met(Joined),
}

/// An act of a process.
pub(crate) enum Act {
    Send(u32),
    Post(u32),
    Enter(Joined),
    /// It waits for all of these.
    Wait(SmallVec<[Until; 1]>),
    /// It found something complete without waiting for it.
    Done(Until),
    /// A probe has found a message.
    Found {
        comm: u32,
        source: u32,
        tag: i32,
        is_any: bool,
        waits: bool,
    },
    /// The following acts cannot be replayed: they depend on unknown data.
    Reacts,
    /// `MPI_Finalize`.
    End,
}

/// The call to which an act belongs.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Call {
    pub function: u16,
    pub site: u32,
    pub at: u64,
}

#[derive(Default)]
pub(crate) struct Log {
    pub acts: Vec<Vec<(Act, Call)>>,
    pub sent: Vec<Sent>,
    pub posted: Vec<Posted>,
    /// The open call of each process.
    now: FxHashMap<u32, Call>,
    total: usize,
    /// There were more acts than are kept.
    is_full: bool,
    /// Some receives are wildcard receives.
    pub has_wild: bool,
    /// Nothing will be replayed.
    pub is_off: bool,
    /// Processes can also exchange data through windows and files.
    pub has_memory: bool,
}

impl Log {
    /// A process has entered a call.
    pub fn here(&mut self, process: u32, call: Call) {
        if !self.is_off {
            self.now.insert(process, call);
        }
    }

    /// Discards the log.
    pub fn turn_off(&mut self) {
        *self = Log { is_off: true, is_full: self.is_full, has_wild: self.has_wild, ..Log::default() };
    }

    /// The log is incomplete, and it would have been replayed.
    pub fn is_missed(&self) -> bool {
        self.is_full && self.has_wild
    }

    pub fn add(&mut self, process: u32, act: Act) {
        if self.is_off {
            return;
        }
        self.total += 1;
        if self.total > MOST {
            self.is_full = true;
            return self.turn_off();
        }
        let at = process as usize;
        if self.acts.len() <= at {
            self.acts.resize_with(at + 1, Vec::new);
        }
        let call = self.now.get(&process).copied().unwrap_or_default();
        self.acts[at].push((act, call));
    }

    /// Adds a step of the replay.
    pub fn step(&mut self, process: u32, step: &Step, messages: &mut Messages) {
        if let Step::Post(id) = step {
            self.has_wild |= messages.receives.get(*id).is_some_and(|receive| receive.is_wild);
        }
        if self.is_off {
            return;
        }
        match step {
            Step::Issue(id) => {
                let Some(message) = messages.messages.get_mut(*id) else { return };
                message.number = self.sent.len() as u32;
                self.sent.push(Sent::from_message(message));
                self.add(process, Act::Send(self.sent.len() as u32 - 1));
            }
            Step::Post(id) => {
                let Some(receive) = messages.receives.get_mut(*id) else { return };
                receive.number = self.posted.len() as u32;
                self.posted.push(Posted::from_receive(receive));
                self.add(process, Act::Post(self.posted.len() as u32 - 1));
            }
            Step::Enter(joined) => self.add(process, Act::Enter(*joined)),
            Step::Wait(_, needs) => {
                let all: Option<SmallVec<[Until; 1]>> = needs.iter().map(|need| until(need, messages)).collect();
                let Some(all) = all else { return self.add(process, Act::Reacts) };
                self.add(process, Act::Wait(all));
            }
            Step::Done(need) => match until(need, messages) {
                Some(until) => self.done(process, until),
                None => self.add(process, Act::Reacts),
            },
            Step::Signal(_) => self.add(process, Act::Reacts),
            Step::Access(_) => self.has_memory = true,
            Step::Probed { .. } => {}
        }
    }

    /// Something is complete for a process. The call that waited for it records this again.
    pub fn done(&mut self, process: u32, until: Until) {
        let known = self.acts.get(process as usize).and_then(|acts| {
            let mut before = acts.iter().rev().map(|(act, _)| act);
            before.find(|act| !matches!(act, Act::Done(_)))
        });
        if !matches!(known, Some(Act::Wait(all)) if all.contains(&until)) {
            self.add(process, Act::Done(until));
        }
    }

    /// A message and a receive have matched in the run.
    pub fn paired(&mut self, message: &Message, receive: &Receive) {
        if let Some(posted) = self.posted.get_mut(receive.number as usize) {
            posted.took = message.number;
        }
    }
}

impl Sent {
    fn from_message(m: &Message) -> Sent {
        use mpiscope_trace::check::event::mode;
        Sent {
            from: m.sender,
            to: m.receiver,
            comm: m.comm,
            tag: m.tag,
            data: m.data,
            waits: m.mode == mode::SYNCHRONOUS,
            place: m.place,
        }
    }
}

impl Posted {
    fn from_receive(r: &Receive) -> Posted {
        Posted {
            by: r.receiver,
            comm: r.comm,
            source: r.source.filter(|_| !r.is_wild),
            tag: r.asked_tag,
            data: r.data,
            place: r.place,
            took: NONE,
        }
    }

    pub fn fits(&self, m: &Sent) -> bool {
        self.source.is_none_or(|s| s == m.from) && self.tag.is_none_or(|t| t == m.tag)
    }
}

fn until(need: &Need, messages: &Messages) -> Option<Until> {
    match *need {
        Need::Sent(id) => messages.messages.get(id).map(|m| Until::Sent(m.number)),
        Need::Received(id) => messages.receives.get(id).map(|r| Until::Received(r.number)),
        Need::Collective(joined) => Some(Until::Met(joined)),
        _ => None,
    }
}
