//! The state of each process: its operations, and what its threads wait for.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Ended;
use crate::collectives::Joined;
use crate::report::CallRef;

/// What a call, or an operation, waits for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Awaited {
    /// A receive of its message.
    Send(u32),
    /// The arrival of its message.
    Receive(u32),
    /// The same for a probe.
    Probe { comm: u32, source: Option<u32>, tag: Option<i32> },
    /// The other processes of a collective operation.
    Collective(Joined),
    /// Another operation of the process.
    Op(u64),
    /// Exposures of a window by the targets.
    Posts { window: u32, targets: Vec<u32> },
    /// Completion of accesses by the origins.
    Completes { window: u32, origins: Vec<u32> },
    /// The release of a conflicting lock by another process.
    Lock { window: u32, target: u32, is_exclusive: bool },
    /// Delivery of buffered messages.
    Transmitted(Box<[u32]>),
    /// A request that another thread has completed in the meantime: whether that ends the wait depends on the MPI library.
    Taken,
    /// An access that has a request.
    Access,
    /// Completion of a generalised request by the process itself.
    Own,
    /// The end of MPI.
    Finalize,
    /// Unknown.
    Nothing,
}

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct PendingCall {
    pub place: CallRef,
    /// One of the awaited things is enough.
    pub is_any: bool,
    /// It may be about to return an error.
    pub is_wrong: bool,
    pub awaited: Vec<Awaited>,
}

/// Consecutive unsuccessful polls.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    pub place: CallRef,
    pub is_any: bool,
    pub awaited: Vec<Awaited>,
}

/// A thread that calls MPI.
#[derive(Default)]
pub(crate) struct Thread {
    pub open: Option<PendingCall>,
    /// Its polls since its last other call.
    pub asking: Vec<Asking>,
    /// The first and the latest of these calls, ticks, and their number.
    pub asking_since: u64,
    pub asked_at: u64,
    pub asked: u64,
    /// It reported an event since the reader last checked.
    pub has_moved: bool,
    /// The first time at which the reader had read all its events.
    pub quiet_since_ns: Option<u64>,
    /// It has polled since then.
    pub asks: bool,
    /// The operation with a request that it started last.
    pub last_op: u64,
    /// Parts of an event that the next event continues.
    pub parts: Vec<crate::replay::Need>,
    /// Its first and latest event, ticks; 0 before.
    pub seen: (u64, u64),
}

impl Thread {
    /// It is in no call, and not polling.
    pub fn is_idle(&self) -> bool {
        self.open.is_none() && self.asking.is_empty()
    }
}

/// A pending operation.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub what: Awaited,
    pub place: CallRef,
}

/// The state of a window in one process.
#[derive(Default)]
pub(crate) struct Epochs {
    pub started: Vec<u32>,
    pub posted: Vec<u32>,
    /// Locks that it holds or requests: target (`None` for all), exclusive.
    pub locks: Vec<(Option<u32>, bool)>,
    /// The last call that opened epochs was a fence.
    pub is_fenced: bool,
}

/// A send whose request was freed: the place of the free, and that of the send.
#[derive(Clone, Copy)]
pub(crate) struct FreedSend {
    pub freed: CallRef,
    pub begun: CallRef,
}

/// A process.
#[derive(Default)]
pub(crate) struct Process {
    pub threads: Vec<Thread>,
    pub ops: FxHashMap<u64, Op>,
    pub has_begun: bool,
    pub is_finalizing: bool,
    pub ended: Option<Ended>,
    /// When the reader first checked after that.
    pub ended_seen_ns: Option<u64>,
    /// It has ended, and the launcher no longer ends the others because of it.
    pub is_over: bool,
    /// Threads that send or receive; if there are several, their order is unknown.
    pub talking: FxHashSet<u8>,
    /// Placeholder receives for messages that matched probes have reserved.
    pub reserved: FxHashMap<u64, u32>,
    pub epochs: FxHashMap<u32, Epochs>,
    /// Sends whose requests it has freed since it could last have received data from others.
    pub freed_sends: Vec<FreedSend>,
    /// Its deadlock is reported.
    pub is_deadlock_reported: bool,
    /// It was possibly in a deadlock, which is reported.
    pub is_likely_deadlock_reported: bool,
}

impl Process {
    pub fn thread(&mut self, number: u8) -> &mut Thread {
        let at = number as usize;
        if self.threads.len() <= at {
            self.threads.resize_with(at + 1, Thread::default);
        }
        &mut self.threads[at]
    }

    /// It can release no other process.
    pub fn is_gone(&self) -> bool {
        self.is_over || self.is_finalizing
    }

    /// A thread completed an operation: other threads that wait for it, which is wrong, wait for something that cannot come.
    pub fn take_from_others(&mut self, thread: u8, op: u64) {
        for (_, other) in self.threads.iter_mut().enumerate().filter(|(at, _)| *at != thread as usize) {
            let Some(open) = other.open.as_mut().filter(|open| !open.is_any) else { continue };
            for awaited in open.awaited.iter_mut().filter(|awaited| **awaited == Awaited::Op(op)) {
                *awaited = Awaited::Taken;
            }
        }
    }

    /// It has freed the request of a send.
    pub fn freed(&mut self, freed: CallRef, begun: CallRef) {
        /// Only the first of them are remembered.
        const MOST: usize = 1024;
        if self.freed_sends.len() < MOST {
            self.freed_sends.push(FreedSend { freed, begun });
        }
    }

    pub fn has_several(&self) -> bool {
        self.talking.len() > 1
    }
}
