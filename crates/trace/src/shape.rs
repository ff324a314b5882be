//! A *shape*: everything about a call that repeats, interned once per thread.
//!
//! A record in the ring is a shape's number, a start and a duration. The shape also carries the
//! always-complete summary: how often it happened, how long it took, how many bytes. What the
//! ring has overwritten is still counted here.

/// Bits of [`Shape::flags`].
pub mod flag {
    /// Called through a Fortran symbol.
    pub const FORTRAN: u32 = 1;
    /// `MPI_IN_PLACE` was given.
    pub const IN_PLACE: u32 = 1 << 1;
    /// The status was ignored, so source, tag and bytes are those posted.
    pub const STATUS_IGNORED: u32 = 1 << 2;
    /// Unsuccessful poll: its record is a counted run.
    pub const POLL: u32 = 1 << 3;
    /// A request id follows in the record.
    pub const REQUEST: u32 = 1 << 4;
    /// A list of request ids follows.
    pub const REQUESTS: u32 = 1 << 5;
    /// An offset or displacement follows.
    pub const OFFSET: u32 = 1 << 6;
    /// The id of a new object (communicator, datatype, window, file) follows.
    pub const NEW_OBJECT: u32 = 1 << 7;
    /// Volatile arguments follow in the record instead of standing here (`inline_mask`).
    pub const INLINE: u32 = 1 << 8;
    /// Statistics only: sums for (site, size bin, peer) of calls recorded inline.
    pub const SUMMARY_ONLY: u32 = 1 << 9;
    /// Arguments were dropped because the table was full.
    pub const COARSE: u32 = 1 << 10;
    /// `res_*` have the values of the status.
    pub const HAS_RESULT: u32 = 1 << 11;
    /// The requests are those of the list `request_list`; none follow in the record.
    pub const REQUEST_LIST: u32 = 1 << 12;
    /// No call, and no function: messages of requests whose own call does not say the peer (`world_peer` sent to,
    /// `world_peer2` received from). `calls` is their number. No record has such a shape.
    pub const MESSAGES: u32 = 1 << 13;
    /// No call: the first requests of the next record of the thread, whose list is too long for one record.
    pub const AHEAD: u32 = 1 << 14;
    /// Those that say that something follows in the record.
    pub const FOLLOWS: u32 = POLL | REQUEST | REQUESTS | OFFSET | NEW_OBJECT | INLINE;
}

/// Bits of [`Shape::inline_mask`], in the order in which the values follow in a record.
pub mod inline {
    /// Count.
    pub const COUNT: u32 = 1;
    /// Second count (receive side).
    pub const COUNT2: u32 = 1 << 1;
    /// Peer.
    pub const PEER: u32 = 1 << 2;
    /// Second peer.
    pub const PEER2: u32 = 1 << 3;
    /// Tag.
    pub const TAG: u32 = 1 << 4;
    /// Second tag.
    pub const TAG2: u32 = 1 << 5;
    /// Status: source, tag, bytes (three values).
    pub const RESULT: u32 = 1 << 6;
    /// Bytes that left and came, as counted (two values, always last).
    pub const BYTES: u32 = 1 << 7;
}

/// How many values follow in a record for an inline mask.
pub const fn inline_values(mask: u32) -> u32 {
    let mut n = mask.count_ones();
    if mask & inline::RESULT != 0 {
        n += 2;
    }
    if mask & inline::BYTES != 0 {
        n += 1;
    }
    n
}

/// No such argument.
pub const NONE: i32 = i32::MIN;

/// See the module's text. 192 bytes; the last cache line is the statistics.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Function id (`mpi_api.toml`; `_c` twins have bit 10 set).
    pub function: u32,
    /// See [`flag`].
    pub flags: u32,
    /// Call site id, 0 unknown.
    pub site: u32,
    /// Communicator id, 0 unknown or none.
    pub comm: u32,
    /// Datatype id of what is sent (or of the only buffer), 0 none.
    pub datatype: u32,
    /// Datatype id of what is received.
    pub datatype2: u32,
    /// Destination or only rank argument as passed, or [`NONE`].
    pub peer: i32,
    /// Source when there is a destination as well.
    pub peer2: i32,
    /// Tag (send tag), or [`NONE`].
    pub tag: i32,
    /// Receive tag.
    pub tag2: i32,
    /// Root, or [`NONE`].
    pub root: i32,
    /// Reduction operation id, 0 none; of a marker or value the id of its label.
    pub op: u32,
    /// Window id, 0 none.
    pub window: u32,
    /// File id, 0 none.
    pub file: u32,
    /// Status: actual source.
    pub res_source: i32,
    /// Status: actual tag.
    pub res_tag: i32,
    /// Status: bytes.
    pub res_bytes: u64,
    /// `peer` as a rank of `MPI_COMM_WORLD` (the actual source for a receive), or [`NONE`].
    pub world_peer: i32,
    /// `peer2` likewise.
    pub world_peer2: i32,
    /// Count (send side); sum for v-collectives.
    pub count: u64,
    /// Count of the receive side.
    pub count2: u64,
    /// Return code, 0 = `MPI_SUCCESS`; [`NONE`] when the call was left by an exception or `longjmp`.
    pub rc: i32,
    /// Values that follow in each record, see [`inline`].
    pub inline_mask: u32,
    /// Payload this process sends with one such call.
    pub bytes_out: u64,
    /// Payload it receives.
    pub bytes_in: u64,
    /// Id of a list of requests, with `flag::REQUEST_LIST`.
    pub request_list: u32,
    /// Id of the innermost region the program was in, 0 none; of a region itself, its id.
    pub region: u32,
    /// Calls.
    pub calls: u64,
    /// Sum of durations, ticks.
    pub ticks: u64,
    /// Longest, ticks.
    pub max_ticks: u64,
    /// Shortest, ticks.
    pub min_ticks: u64,
    /// Payload sent by all of them.
    pub sum_bytes_out: u64,
    /// Payload received by all of them.
    pub sum_bytes_in: u64,
    /// Requests completed by all of them (readers add those of lists).
    pub sum_requests: u64,
    /// What each call starts: id of a [`crate::defs::Definition::Messages`], 0 none.
    pub messages: u32,
    /// Processes that `MPI_Win_post` or `MPI_Win_start` names: id of a [`crate::defs::Definition::Group`], 0 unknown.
    pub group: u32,
}

const _: () = assert!(size_of::<Shape>() == 192 && std::mem::offset_of!(Shape, calls) == 128);

impl Default for Shape {
    fn default() -> Self {
        Shape {
            function: 0,
            flags: 0,
            site: 0,
            comm: 0,
            datatype: 0,
            datatype2: 0,
            peer: NONE,
            peer2: NONE,
            tag: NONE,
            tag2: NONE,
            root: NONE,
            op: 0,
            window: 0,
            file: 0,
            res_source: NONE,
            res_tag: NONE,
            res_bytes: 0,
            world_peer: NONE,
            world_peer2: NONE,
            count: 0,
            count2: 0,
            rc: 0,
            inline_mask: 0,
            bytes_out: 0,
            bytes_in: 0,
            calls: 0,
            ticks: 0,
            max_ticks: 0,
            min_ticks: u64::MAX,
            sum_bytes_out: 0,
            sum_bytes_in: 0,
            sum_requests: 0,
            request_list: 0,
            region: 0,
            messages: 0,
            group: 0,
        }
    }
}
