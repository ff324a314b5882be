//! Where each process is: what its threads wait for, and its operations.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Ended;
use crate::collectives::Joined;
use crate::report::CallRef;

/// What a call, or an operation, waits for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Awaited {
    /// That a message is received.
    Send(u32),
    /// That a message comes.
    Receive(u32),
    /// The same for a probe.
    Probe { comm: u32, source: Option<u32>, tag: Option<i32> },
    /// The others of a collective operation.
    Collective(Joined),
    /// Another operation of the process.
    Op(u64),
    /// Exposures of a window by targets.
    Posts { window: u32, targets: Vec<u32> },
    /// Ends of accesses by origins.
    Completes { window: u32, origins: Vec<u32> },
    /// That no other process has a lock that excludes it.
    Lock { window: u32, target: u32, is_exclusive: bool },
    /// That buffered messages are delivered.
    Transmitted(Box<[u32]>),
    /// A request that another thread has completed in the meantime: whether that ends the wait depends on the MPI library.
    Taken,
    /// An access that has a request.
    Access,
    /// That the process itself completes a generalised request.
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
    /// One of what it waits for is enough.
    pub is_any: bool,
    /// It may be about to fail.
    pub is_wrong: bool,
    pub awaited: Vec<Awaited>,
}

/// Consecutive calls that poll without success.
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
    /// What it polls, with no other call since.
    pub asking: Vec<Asking>,
    /// First and latest of these calls, ticks, and how many.
    pub asking_since: u64,
    pub asked_at: u64,
    pub asked: u64,
    /// Reported an event since the reader looked last.
    pub has_moved: bool,
    /// When all its events were first seen to be read.
    pub quiet_since_ns: Option<u64>,
    /// Polled since then.
    pub asks: bool,
    /// The operation with a request that it has begun last.
    pub last_op: u64,
    /// Parts of a call that continues in the next event.
    pub parts: Vec<crate::replay::Need>,
    /// When it was first and last seen, ticks; 0 before.
    pub seen: (u64, u64),
}

impl Thread {
    /// In no call, and not polling.
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

/// What a process does with a window.
#[derive(Default)]
pub(crate) struct Epochs {
    pub started: Vec<u32>,
    pub posted: Vec<u32>,
    /// Locks that it holds or requests: target (none for all), exclusive.
    pub locks: Vec<(Option<u32>, bool)>,
    /// The last call that opens epochs was a fence.
    pub is_fenced: bool,
}

/// A send whose request was freed: where, and where it was begun.
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
    /// When the reader looked first after that.
    pub ended_seen_ns: Option<u64>,
    /// It has ended, and by now the launcher no longer ends the others because of it.
    pub is_over: bool,
    /// Threads that send or receive; with several of them the order is unknown.
    pub talking: FxHashSet<u8>,
    /// Reservations of messages to receives that stand for them.
    pub reserved: FxHashMap<u64, u32>,
    pub epochs: FxHashMap<u32, Epochs>,
    /// Sends whose requests it has freed since it last may have received data from others.
    pub freed_sends: Vec<FreedSend>,
    /// Its deadlock is reported.
    pub is_deadlock_reported: bool,
    /// It seemed to be in a deadlock, which is reported.
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
        /// Only the first ones are kept.
        const MOST: usize = 1024;
        if self.freed_sends.len() < MOST {
            self.freed_sends.push(FreedSend { freed, begun });
        }
    }

    pub fn has_several(&self) -> bool {
        self.talking.len() > 1
    }
}
