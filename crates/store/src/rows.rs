//! The rows.

use mpiscope_abi::role::{Pattern, Role};

use crate::ids::{CommId, GroupId, RankId, RegionId, SiteId};

/// Bits of [`CallInfo::flags`], [`Call::flags`] and [`Message::flags`].
pub mod flags {
    /// Ends in another call ([`super::End::done_row`]).
    pub const NON_BLOCKING: u16 = 1;
    /// Begun by `Start` or `Startall`.
    pub const PERSISTENT: u16 = 1 << 1;
    /// Partitioned.
    pub const PARTITIONED: u16 = 1 << 2;
    /// A run of unsuccessful polls, or of calls that read the clock.
    pub const POLL: u16 = 1 << 3;
    /// Returned an error, or was left by an exception.
    pub const FAILED: u16 = 1 << 4;
    /// The source was not recorded and follows from order and time only.
    pub const INFERRED: u16 = 1 << 5;
    /// Received from `MPI_ANY_SOURCE`.
    pub const ANY_SOURCE: u16 = 1 << 6;
    /// Received with `MPI_ANY_TAG`.
    pub const ANY_TAG: u16 = 1 << 7;
    /// `MPI_IN_PLACE`.
    pub const IN_PLACE: u16 = 1 << 8;
    /// Only makes a request that is started later.
    pub const MAKES_PERSISTENT: u16 = 1 << 9;
    /// Polls (`MPI_Test`, `MPI_Iprobe`…).
    pub const ASKS: u16 = 1 << 10;
    /// Made inside another call: in a callback, or by an MPI that calls MPI.
    pub const NESTED: u16 = 1 << 11;
    /// It had not returned when recording ended, which is the end of its row.
    pub const OPEN: u16 = 1 << 12;
    /// The call has many different arguments: each row has its own.
    pub const SPELLED: u16 = 1 << 13;
}

/// Replaces the tag of calls without one; no tag has this value.
pub const NO_TAG: i32 = i32::MIN;

/// Everything that is the same from call to call. Each rank has a table of these; [`Call::facts`] is an index into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInfo {
    /// Function id (`mpi_api.toml`).
    pub function: u32,
    /// Its role in communication.
    pub role: Role,
    /// See [`flags`].
    pub flags: u16,
    /// Communicator.
    pub comm: CommId,
    /// Destination, source or target; for a receive the actual source if a status has it.
    pub peer: RankId,
    /// Source of a call that also has a destination.
    pub peer2: RankId,
    /// Tag of the sent message; [`NO_TAG`] for calls without one.
    pub tag: i32,
    /// Tag of what is received, of a call that also sends.
    pub tag2: i32,
    /// Root of a collective operation.
    pub root: RankId,
    /// Payload sent by one call.
    pub bytes_sent: u64,
    /// Payload received by one call.
    pub bytes_received: u64,
    /// Elements (send side).
    pub count: u64,
    /// Datatype id of the rank, 0 none.
    pub datatype: u32,
    /// Reduction operation id of the rank, 0 none.
    pub op: u32,
    /// Window id of the rank, 0 none.
    pub window: u32,
    /// File id of the rank, 0 none.
    pub file: u32,
    /// Processes that `MPI_Win_post` or `MPI_Win_start` names; `None` if they were not recorded.
    pub group: GroupId,
    /// Call site.
    pub site: SiteId,
    /// Innermost region.
    pub region: RegionId,
    /// Number of such calls, including those whose rows are lost: the summary is complete.
    pub calls: u64,
    /// Time inside all of them.
    pub time_ns: u64,
}

impl CallInfo {
    /// Whether its calls poll for something, and found nothing. A loop that reads the clock is recorded like polls, and is none.
    pub fn is_poll(&self) -> bool {
        self.flags & flags::POLL != 0 && self.role != Role::Local
    }

    /// Whether its calls are blocking collective operations with data, not only for neighbours.
    pub fn is_blocking_collective(&self) -> bool {
        let has_data =
            matches!(self.role, Role::Collective(Pattern::NxN | Pattern::OneToN | Pattern::NToOne | Pattern::Scan));
        has_data && self.flags & (flags::NON_BLOCKING | flags::PERSISTENT | flags::MAKES_PERSISTENT) == 0
    }

    /// Arguments of a call that has its own, apart from the offset.
    pub fn detail(&self, offset: i64) -> Detail {
        Detail {
            peer: self.peer,
            peer2: self.peer2,
            tag: self.tag,
            tag2: self.tag2,
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            count: self.count,
            offset,
        }
    }
}

/// One call, or one run of unsuccessful polls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Entry.
    pub start_ns: u64,
    /// Return.
    pub end_ns: u64,
    /// Index into the rank's [`CallInfo`].
    pub facts: u32,
    /// Index into [`crate::RankBatch::details`] plus one; 0 if [`CallInfo`] has all arguments.
    pub detail: u32,
    /// Calls in this row: more than one only for polls, and for loops that read the clock.
    pub calls: u32,
    /// Index of the thread in the rank.
    pub thread: u16,
    /// Bits that differ from call to call: `NESTED`, `OPEN`.
    pub flags: u16,
}

/// Arguments that differ from call to call.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// As in [`CallInfo`].
    pub peer: RankId,
    /// As in [`CallInfo`].
    pub peer2: RankId,
    /// As in [`CallInfo`].
    pub tag: i32,
    /// As in [`CallInfo`].
    pub tag2: i32,
    /// As in [`CallInfo`].
    pub bytes_sent: u64,
    /// As in [`CallInfo`].
    pub bytes_received: u64,
    /// As in [`CallInfo`].
    pub count: u64,
    /// File offset or window displacement.
    pub offset: i64,
}

/// One side of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Row of the call that posted it.
    pub row: u64,
    /// Entry of that call.
    pub start_ns: u64,
    /// Return of that call.
    pub end_ns: u64,
    /// Row of the call that completed it: `row` for a blocking call, `u64::MAX` if none did.
    pub done_row: u64,
    /// Entry of that call; if none completed it but an unfinished call waits for it ([`UnfinishedCall`]), the entry of the
    /// unfinished call.
    pub done_start_ns: u64,
    /// Return of that call.
    pub done_end_ns: u64,
    /// [`CallInfo`] of the posting call.
    pub facts: u32,
    /// [`CallInfo`] of the completing call.
    pub done_facts: u32,
    /// Number of messages (both directions) that the completing call completed.
    pub done_with: u32,
}

impl End {
    /// No call completed it.
    pub const NEVER: u64 = u64::MAX;

    /// Whether a call completed it.
    pub fn is_done(&self) -> bool {
        self.done_row != End::NEVER
    }
}

/// A message: a send and its receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Communicator.
    pub comm: CommId,
    /// Sending rank.
    pub sender: RankId,
    /// Receiving rank.
    pub receiver: RankId,
    /// Tag.
    pub tag: i32,
    /// Payload according to the sender.
    pub bytes: u64,
    /// Number of the message among those with the same communicator, sender, receiver and tag, from 0.
    pub sequence: u64,
    /// The sender's side.
    pub send: End,
    /// The receiver's side.
    pub receive: End,
    /// `PERSISTENT`, `PARTITIONED` (of either side), `INFERRED`, `ANY_SOURCE`, `ANY_TAG`.
    pub flags: u16,
}

/// A collective operation. Its members are in [`crate::Batch::members`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Communicator.
    pub comm: CommId,
    /// Number of the operation on this communicator (window, file), from 0.
    pub index: u64,
    /// Function of the first member.
    pub function: u32,
    /// Root, [`RankId::NONE`] for operations without one.
    pub root: RankId,
    /// Range of its members.
    pub members: std::ops::Range<usize>,
    /// Number of processes of the communicator for which no call is known.
    pub missing: u32,
}

/// One rank's part in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The rank.
    pub rank: RankId,
    /// Its calls.
    pub end: End,
    /// Payload that it sent.
    pub bytes_sent: u64,
    /// Payload that it received.
    pub bytes_received: u64,
}

/// A message of which only one side is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lone {
    /// The rank whose side is known.
    pub rank: RankId,
    /// The other rank, if known.
    pub peer: RankId,
    /// Communicator.
    pub comm: CommId,
    /// Tag, if known.
    pub tag: Option<i32>,
    /// Payload.
    pub bytes: u64,
    /// Whether it is the send that is known.
    pub is_send: bool,
    /// The known side.
    pub end: End,
    /// Why the other side is unknown.
    pub reason: LoneReason,
}

/// Why one side of a message is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoneReason {
    /// The peer was not recorded, or is outside the run.
    PeerUnknown,
    /// The ring of the peer had overwritten its side.
    Overwritten,
    /// The other side did not happen before the end of the run.
    NeverHappened,
}

/// A region that was entered and left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The region.
    pub region: RegionId,
    /// Thread in the rank.
    pub thread: u16,
    /// Beginning.
    pub start_ns: u64,
    /// End.
    pub end_ns: u64,
}

/// A call that had not returned when the recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfinishedCall {
    /// The rank.
    pub rank: RankId,
    /// Thread in the rank.
    pub thread: u16,
    /// Its row, which has [`flags::OPEN`].
    pub row: u64,
    /// Its [`CallInfo`]. Sizes are unknown.
    pub facts: u32,
    /// Entry.
    pub start_ns: u64,
    /// The last moment at which it was known to be open.
    pub end_ns: u64,
    /// Requests that it waits for, as it names them.
    pub requests: u32,
    /// Whether all of these requests are known: [`End::done_start_ns`] tells for each. If not, only the first is.
    pub knows_requests: bool,
    /// Inside another open call.
    pub is_nested: bool,
}

/// A wait inside one call, as the analysis of waits reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitRow {
    /// Stable id of its kind: `late_sender`.
    pub kind: &'static str,
    /// The waiting rank.
    pub rank: RankId,
    /// Row of the call.
    pub row: u64,
    /// [`CallInfo`] of that call.
    pub facts: u32,
    /// Beginning.
    pub start_ns: u64,
    /// End.
    pub end_ns: u64,
    /// The call that is waited for, if there is one.
    pub cause: Option<WaitCause>,
}

/// The call that a [`WaitRow`] waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitCause {
    /// The rank that was late.
    pub rank: RankId,
    /// Row of its call.
    pub row: u64,
    /// [`CallInfo`] of that call.
    pub facts: u32,
    /// Entry of that call.
    pub start_ns: u64,
}

/// Something that is missing from a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossRow {
    /// The rank whose recording it is.
    pub rank: RankId,
    /// Kind of loss: `events_overwritten`, `calls_filtered`…
    pub what: &'static str,
    /// Number of lost items.
    pub count: u64,
}
