//! How the arguments of a call are read: a short list of steps for each function.
//!
//! Steps are generated from `mpi_api.toml` (see `crates/xtask`). They are bytes without
//! pointers, so that a process that preloads the collector pays no relocations for them.

/// What an argument is. Steps up to [`kind::LAST_BEFORE`] are done before the call, the others
/// after it succeeded.
pub mod kind {
    /// Communicator.
    pub const COMM: u8 = 1;
    /// Datatype of the only or the send buffer.
    pub const TYPE: u8 = 2;
    /// Datatype of the receive (target) buffer.
    pub const TYPE2: u8 = 3;
    /// Count of the only or the send buffer.
    pub const COUNT: u8 = 4;
    /// Count of the receive (target) buffer.
    pub const COUNT2: u8 = 5;
    /// Destination, source, target: the rank the call names.
    pub const PEER: u8 = 6;
    /// Source when there is a destination too.
    pub const PEER2: u8 = 7;
    /// Tag.
    pub const TAG: u8 = 8;
    /// Receive tag when there is a send tag too.
    pub const TAG2: u8 = 9;
    /// Root.
    pub const ROOT: u8 = 10;
    /// Reduction operation.
    pub const OP: u8 = 11;
    /// Window.
    pub const WINDOW: u8 = 12;
    /// File.
    pub const FILE: u8 = 13;
    /// File offset or target displacement: differs from call to call, so it stands in the record.
    pub const OFFSET: u8 = 14;
    /// Array of counts (send side), one for each member; summed.
    pub const COUNTS: u8 = 15;
    /// Array of counts (receive side).
    pub const COUNTS2: u8 = 16;
    /// Array of datatypes that goes with the counts in argument `aux` (send side).
    pub const TYPES: u8 = 17;
    /// The same for the receive side.
    pub const TYPES2: u8 = 18;
    /// One request.
    pub const REQUEST: u8 = 19;
    /// Array of requests; its length is argument `aux`.
    pub const REQUESTS: u8 = 20;
    /// Send buffer: may be `MPI_IN_PLACE`.
    pub const SENDBUF: u8 = 21;
    /// Receive buffer: may be `MPI_IN_PLACE` (scatter).
    pub const RECVBUF: u8 = 22;
    /// Group that the call frees.
    pub const OLD_GROUP: u8 = 23;
    /// Last kind that is read before the call.
    pub const LAST_BEFORE: u8 = 31;
    /// New request.
    pub const NEW_REQUEST: u8 = 32;
    /// Status.
    pub const STATUS: u8 = 33;
    /// Array of statuses.
    pub const STATUSES: u8 = 34;
    /// Completion flag.
    pub const FLAG: u8 = 35;
    /// Index of the completed request.
    pub const INDEX: u8 = 36;
    /// Number of completed requests; their indices are argument `aux`.
    pub const OUTCOUNT: u8 = 37;
    /// Group that the call is about. Read when the call has proved that it is one.
    pub const GROUP: u8 = 38;
    /// New communicator, the first of the kinds that are objects which later calls name.
    pub const NEW_COMM: u8 = 39;
    /// New datatype.
    pub const NEW_TYPE: u8 = 40;
    /// New window.
    pub const NEW_WINDOW: u8 = 41;
    /// New file.
    pub const NEW_FILE: u8 = 42;
    /// New reduction operation.
    pub const NEW_OP: u8 = 43;
    /// New group.
    pub const NEW_GROUP: u8 = 44;
}

/// Bits of [`Step::flags`].
pub mod step_flag {
    /// 64 bits wide (otherwise a C `int` or Fortran `INTEGER`).
    pub const WIDE: u8 = 1;
    /// C passes a pointer to it as well.
    pub const POINTER: u8 = 2;
    /// Significant at the root only; may be garbage elsewhere.
    pub const AT_ROOT: u8 = 4;
}

/// Argument index meaning "this language has no such argument".
pub const ABSENT: u8 = 255;

/// One argument to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Step {
    /// See [`kind`].
    pub kind: u8,
    /// See [`step_flag`].
    pub flags: u8,
    /// Argument index in C.
    pub c: u8,
    /// Argument index in Fortran.
    pub f: u8,
    /// Index of a second argument the step needs, in C.
    pub aux_c: u8,
    /// The same in Fortran.
    pub aux_f: u8,
}

/// What a parameter is, whatever its type in C: the table of those who check calls.
pub mod class {
    /// Communicator, the first of the kinds that are handles.
    pub const COMM: u8 = 1;
    /// Group.
    pub const GROUP: u8 = 2;
    /// Datatype.
    pub const TYPE: u8 = 3;
    /// Reduction operation.
    pub const OP: u8 = 4;
    /// Window.
    pub const WINDOW: u8 = 5;
    /// File.
    pub const FILE: u8 = 6;
    /// Info object.
    pub const INFO: u8 = 7;
    /// Error handler.
    pub const ERRHANDLER: u8 = 8;
    /// Request.
    pub const REQUEST: u8 = 9;
    /// Matched message.
    pub const MESSAGE: u8 = 10;
    /// Session.
    pub const SESSION: u8 = 11;
    /// Attribute key, the last of them: an integer in all families.
    pub const KEYVAL: u8 = 12;
    /// Rank in the call's communicator, window or group.
    pub const RANK: u8 = 16;
    /// Root of a collective operation.
    pub const ROOT: u8 = 17;
    /// Tag.
    pub const TAG: u8 = 18;
    /// Number of elements that are transferred.
    pub const COUNT: u8 = 19;
    /// Memory that is read or written.
    pub const BUFFER: u8 = 20;
    /// Status.
    pub const STATUS: u8 = 21;
    /// True or false.
    pub const FLAG: u8 = 22;
    /// Length of an array, or of a block of a datatype.
    pub const LENGTH: u8 = 23;
    /// Displacement in a buffer or datatype.
    pub const DISPLACEMENT: u8 = 24;
    /// Partition, or how many there are.
    pub const PARTITION: u8 = 25;
    /// Assertion about an epoch.
    pub const ASSERT: u8 = 26;
    /// How a file is opened.
    pub const MODE: u8 = 27;
    /// Kind of a lock.
    pub const LOCK: u8 = 28;
    /// What an offset counts from.
    pub const WHENCE: u8 = 29;
    /// Text.
    pub const STRING: u8 = 30;
    /// Place in a file.
    pub const OFFSET: u8 = 31;
    /// Displacement in a window.
    pub const TARGET_DISPLACEMENT: u8 = 32;
    /// Displacement unit of a window.
    pub const UNIT: u8 = 33;
    /// Size of memory.
    pub const BYTES: u8 = 34;
    /// Any other number.
    pub const NUMBER: u8 = 35;
    /// Anything else: callbacks, attributes, arguments of the tool interface.
    pub const OTHER: u8 = 36;
}

/// Bits of [`Param::flags`].
pub mod param_flag {
    /// The call reads it.
    pub const IN: u8 = 1;
    /// The call writes it.
    pub const OUT: u8 = 2;
    /// An array, see [`super::length`].
    pub const ARRAY: u8 = 4;
    /// 64 bits wide (otherwise a C `int` or Fortran `INTEGER`).
    pub const WIDE: u8 = 8;
    /// C passes a pointer to the single value.
    pub const POINTER: u8 = 16;
    /// Significant at the root only.
    pub const AT_ROOT: u8 = 32;
}

/// [`Param::length`] of arrays that no parameter of the call gives the length of.
pub mod length {
    /// An element for each process of the communicator, or each neighbour.
    pub const PER_PROCESS: u8 = 254;
    /// Follows from something else.
    pub const UNKNOWN: u8 = 253;
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Param {
    /// See [`class`].
    pub class: u8,
    /// See [`param_flag`].
    pub flags: u8,
    /// Argument index in C, or [`ABSENT`].
    pub c: u8,
    /// Argument index in Fortran, or [`ABSENT`].
    pub f: u8,
    /// Of an array: number of the parameter with its length, or see [`length`].
    pub length: u8,
    pub(crate) name_len: u8,
    pub(crate) name_at: u16,
}

impl Param {
    /// Whether [`param_flag`] `bit` is set.
    #[inline(always)]
    pub const fn is(&self, bit: u8) -> bool {
        self.flags & bit != 0
    }
}

/// How the bytes of a call follow from its counts. P is the number of processes, c/s count and
/// size of the (send) buffer, c2/s2 of the receive buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Flow {
    /// Moves no payload.
    None = 0,
    /// out c·s
    Send,
    /// in c·s, or what the status says
    Receive,
    /// out c·s, in c2·s2
    SendReceive,
    /// out and in c·s
    Exchange,
    /// root: out c·s; others: in c·s
    Broadcast,
    /// out c·s; root: in P·c2·s2
    Gather,
    /// root: in Σc2·s2
    GatherV,
    /// root: out P·c·s; in c2·s2
    Scatter,
    /// root: out Σc·s
    ScatterV,
    /// out c·s; root: in c·s
    Reduce,
    /// out and in c·s
    Allreduce,
    /// out Σc2·s; in `c2[rank]`·s
    ReduceScatter,
    /// out P·c2·s; in c2·s
    ReduceScatterBlock,
    /// out c·s; in P·c2·s2
    Allgather,
    /// out c·s; in Σc2·s2
    AllgatherV,
    /// out P·c·s; in P·c2·s2
    Alltoall,
    /// out Σc·s; in Σc2·s2
    AlltoallV,
    /// out Σcᵢ·sᵢ; in Σc2ᵢ·s2ᵢ
    AlltoallW,
    /// Partitions · count · s out
    PartitionedSend,
    /// Partitions · count · s in
    PartitionedReceive,
}

/// Attributes of a function.
pub mod attribute {
    /// Completes requests (Wait, Test and their plurals).
    pub const COMPLETES: u16 = 1;
    /// Asks without waiting: unsuccessful calls are folded into runs.
    pub const POLLS: u16 = 2;
    /// Runs over the neighbours of a topology instead of all processes.
    pub const NEIGHBOR: u16 = 4;
    /// Destroys the object it names.
    pub const FREES: u16 = 8;
    /// Newer than MPI-3.1.
    pub const POST31: u16 = 16;
    /// Returns something other than an error code.
    pub const RETURNS_VALUE: u16 = 32;
    /// Makes a persistent or partitioned request.
    pub const PERSISTENT: u16 = 64;
    /// Starts requests (Start, Startall).
    pub const STARTS: u16 = 128;
}

/// One function of the interface.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Function {
    /// Offset of the name in the generated blob.
    pub(crate) name_at: u32,
    /// Length of the name; 0 for an unused id.
    pub(crate) name_len: u8,
    /// Number of steps.
    pub(crate) step_count: u8,
    /// First step in the generated list.
    pub(crate) step_at: u16,
    /// Bit set over [`crate::GROUPS`].
    pub groups: u32,
    /// See [`attribute`].
    pub attributes: u16,
    /// How bytes are computed.
    pub flow: Flow,
    /// Primary group, index into [`crate::GROUPS`].
    pub(crate) class: u8,
}

impl Function {
    /// An id that stands for nothing.
    pub const UNUSED: Function = Function {
        name_at: 0,
        name_len: 0,
        step_count: 0,
        step_at: 0,
        groups: 0,
        attributes: 0,
        flow: Flow::None,
        class: 0,
    };
    /// Whether [`attribute`] `bit` is set.
    #[inline(always)]
    pub const fn is(&self, bit: u16) -> bool {
        self.attributes & bit != 0
    }
}
