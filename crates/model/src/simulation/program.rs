//! What ranks do: calls in order, with the messages and collective operations that they take part in.

use super::engine::Waiting;

/// Number of a message, of a collective operation or of what a rank reaches, unique in the run.
pub type Id = u64;

/// What a message or an operation has to do with a call. In a call all parts that begin something come before those that
/// await something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Begins to send.
    Send {
        /// The message.
        id: Id,
        /// Receiving rank.
        to: u32,
        /// Payload.
        bytes: u64,
        /// Whether it waits for the receiver.
        mode: Mode,
    },
    /// Posts the receive.
    Receive {
        /// The message.
        id: Id,
        /// Sending rank.
        from: u32,
        /// Payload.
        bytes: u64,
    },
    /// The data of a message are part of another message, which the same call has begun to send before.
    Inside {
        /// The message.
        id: Id,
        /// The one that contains it.
        carrier: Id,
    },
    /// Waits until the send buffer can be used again.
    AwaitSent(Id),
    /// Waits until the message is there.
    AwaitReceived(Id),
    /// Is where one other rank may wait for it: a call in an epoch, a neighbourhood operation.
    Reach(Id),
    /// Waits until another rank has reached that.
    AwaitReached {
        /// See [`Part::Reach`].
        id: Id,
        /// Why.
        kind: Waiting,
    },
    /// Comes to a collective operation.
    Enter {
        /// The operation.
        id: Id,
        /// Which kind: counted over the [`Section::kinds`] of all sections.
        kind: u32,
        /// Place of the rank among the members.
        member: u32,
    },
    /// Waits until its part in the operation is over.
    Leave {
        /// The operation.
        id: Id,
        /// Place of the rank among the members.
        member: u32,
    },
}

impl Part {
    /// Whether it belongs to a message.
    pub fn is_of_message(&self) -> bool {
        use Part::{AwaitReceived, AwaitSent, Inside, Receive, Send};
        matches!(self, Send { .. } | Receive { .. } | Inside { .. } | AwaitSent(_) | AwaitReceived(_))
    }
}

/// How a message is sent (MPI-5.0 §3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By the eager protocol up to the eager limit, else by rendezvous.
    Standard,
    /// Never waits for the receiver.
    Buffered,
    /// Always waits for the receiver.
    Synchronous,
}

/// A call, and the computing before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Row of the call in the recorded run.
    pub row: u64,
    /// Number of the caller's for what is the same from call to call.
    pub facts: u32,
    /// Computing since the call before, ns.
    pub gap_ns: u64,
    /// Time in the call that no message or operation explains, ns: as recorded.
    pub own_ns: u64,
    /// In the recorded run, how much later than half of the other members it came to an operation in which all wait for all, ns.
    pub late_ns: u64,
    /// In the recorded run, when the last of the messages that it awaits was sent, ns; 0: it awaits none.
    pub sent_ns: u64,
    /// A change has moved what this call did into the call so many rows after it (before it, if negative), and the call no longer
    /// occurs; 0: it occurs. Only computing before it is left.
    pub moved_rows: i32,
    /// First of its parts in [`Calls::parts`], and how many.
    pub first_part: u32,
    /// See above.
    pub parts: u32,
}

/// Calls of one rank.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// In order.
    pub steps: Vec<Step>,
    /// What [`Step::first_part`] refers to.
    pub parts: Vec<Part>,
}

impl Calls {
    /// The parts of a step.
    pub fn parts_of(&self, step: &Step) -> &[Part] {
        let first = step.first_part as usize;
        self.parts.get(first..first + step.parts as usize).unwrap_or_default()
    }

    /// Adds a call.
    pub fn push(&mut self, mut step: Step, parts: impl IntoIterator<Item = Part>) {
        step.first_part = self.parts.len() as u32;
        self.parts.extend(parts);
        step.parts = self.parts.len() as u32 - step.first_part;
        self.steps.push(step);
    }
}

/// What ranks wait for in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Every rank waits for all.
    AllToAll,
    /// Every rank waits for the root.
    FromRoot,
    /// The root waits for all.
    ToRoot,
    /// Each rank waits for those before it.
    Chain,
}

/// A kind of collective operations: those that differ only in when ranks come to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// What ranks wait for.
    pub shape: Shape,
    /// What is moved.
    pub data: Data,
    /// Function id, for the caller.
    pub function: u32,
    /// Members, by their ranks in the run.
    pub members: std::sync::Arc<[u32]>,
    /// Place of the root among them.
    pub root: u32,
    /// Bytes of one rank's block: what a rank contributes (gather, reduce, alltoall: for one other), or gets.
    pub bytes: u64,
    /// Members that come to it; fewer than all where some were not recorded.
    pub present: u32,
}

/// What a collective operation moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Data {
    /// Nothing.
    Nothing,
    /// The same to all (`Bcast`).
    Broadcast,
    /// A block to each (`Scatter`).
    Scatter,
    /// A block from each (`Gather`).
    Gather,
    /// A reduction to the root.
    Reduce,
    /// A reduction to all.
    Allreduce,
    /// A block of each to all.
    Allgather,
    /// A block from each to each.
    Alltoall,
    /// A reduction, a block of it to each.
    ReduceScatter,
    /// Each rank the reduction of those before it.
    Scan,
}

/// A stretch of the run: the next calls of each rank.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// By rank.
    pub ranks: Vec<Calls>,
    /// Kinds of collective operations that come for the first time in this section; numbers go on from those before.
    pub kinds: Vec<Kind>,
    /// Whether it is the last one.
    pub is_last: bool,
}
