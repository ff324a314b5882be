//! What a checked process says. How it stands in words: [`super::words`].
//!
//! Events describe before a call what it is going to do. A call that can wait ends with a
//! [`Body::Return`]; one that cannot says nothing more, unless it fails.

/// Most bytes of memory that an event carries.
pub const MOST_CONTENT: usize = 64;

/// Bits of [`Head::flags`].
pub mod flag {
    /// The call does not return before what it says has come about; a [`super::Body::Return`] follows.
    pub const BLOCKING: u16 = 1;
    /// Called through a Fortran symbol.
    pub const FORTRAN: u16 = 2;
    /// Another event of the same call follows: both halves of a `Sendrecv`, requests of a `Startall`.
    pub const MORE: u16 = 4;
    /// The send buffer is `MPI_IN_PLACE`.
    pub const IN_PLACE: u16 = 8;
    /// A list was too long and is not there, or not all of it.
    pub const CUT: u16 = 16;
    /// Its request is persistent or partitioned, and has been started: the event stands for the start, and its function is
    /// the one that made the request.
    pub const PERSISTENT: u16 = 32;
    /// An `MPI_PROC_NULL`: nothing will be transferred, the call is correct.
    pub const PROC_NULL: u16 = 64;
    /// The operation is partitioned.
    pub const PARTITIONED: u16 = 128;
    /// What a probe has found was asked of any source …
    pub const ANY_SOURCE: u16 = 256;
    /// … and with any tag.
    pub const ANY_TAG: u16 = 512;
    /// Something is wrong with the call's arguments, which was told before: what it says of its data may be nonsense, and it
    /// may be about to fail.
    pub const WRONG: u16 = 1024;
    /// The process has promised that messages are as long as the receive (`mpi_assert_exact_length`).
    pub const EXACT: u16 = 2048;
}

/// What all events have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Which of the process's threads.
    pub thread: u8,
    /// Function id, 0 when the event is of no call.
    pub function: u16,
    /// See [`flag`].
    pub flags: u16,
    /// When, ticks.
    pub at: u64,
    /// Call site.
    pub site: u32,
    /// Communicator it is about, 0 when none.
    pub comm: u32,
}

/// How a send is done; numbers are part of the format (MPI-5.0 §3.4).
pub mod mode {
    /// The MPI may keep the message or wait for the receiver.
    pub const STANDARD: u64 = 0;
    /// Kept.
    pub const BUFFERED: u64 = 1;
    /// Waits until the receive has begun.
    pub const SYNCHRONOUS: u64 = 2;
    /// The receive must have been posted.
    pub const READY: u64 = 3;
}

/// What a wait needs; numbers are part of the format.
pub mod need {
    /// All of its operations.
    pub const ALL: u64 = 0;
    /// One of them (`Waitany`, `Waitsome`).
    pub const ANY: u64 = 1;
    /// Of polls: those whom this process has exposed a window to; in place of operations stands the window (`Win_test`).
    pub const EXPOSURE: u64 = 2;
}

/// What an epoch's call does; numbers are part of the format (MPI-5.0 §12.5).
pub mod epoch {
    /// `MPI_Win_fence`.
    pub const FENCE: u64 = 0;
    /// `MPI_Win_start`; `targets` are the group.
    pub const START: u64 = 1;
    /// `MPI_Win_complete`.
    pub const COMPLETE: u64 = 2;
    /// `MPI_Win_post`; `targets` are the group.
    pub const POST: u64 = 3;
    /// `MPI_Win_wait`, or `MPI_Win_test` that found it complete.
    pub const WAIT: u64 = 4;
    /// `MPI_Win_lock`, shared.
    pub const LOCK_SHARED: u64 = 5;
    /// `MPI_Win_lock`, exclusive.
    pub const LOCK_EXCLUSIVE: u64 = 6;
    /// `MPI_Win_unlock`.
    pub const UNLOCK: u64 = 7;
    /// `MPI_Win_lock_all`.
    pub const LOCK_ALL: u64 = 8;
    /// `MPI_Win_unlock_all`.
    pub const UNLOCK_ALL: u64 = 9;
    /// `MPI_Win_flush`, `MPI_Win_flush_all` (no target).
    pub const FLUSH: u64 = 10;
    /// `MPI_Win_flush_local`, `MPI_Win_flush_local_all`.
    pub const FLUSH_LOCAL: u64 = 11;
    /// `MPI_Win_sync`.
    pub const SYNC: u64 = 12;
    /// Nothing of the program's: the process has learned what others did, and what it stores into its part of the window from
    /// now on others may access under locks at the same time.
    pub const KEPT: u64 = 13;
    /// The window was made with an info object, or given one: what it promises stands in the assertion.
    pub const PROMISED: u64 = 14;
}

/// What an access does to its target; numbers are part of the format (MPI-5.0 §12.3).
pub mod access {
    /// Writes.
    pub const PUT: u64 = 0;
    /// Reads.
    pub const GET: u64 = 1;
    /// Reads and writes, elements at once.
    pub const ACCUMULATE: u64 = 2;
}

/// Bits of [`Body::Epoch`]'s assertion, whatever they are in the program's MPI; numbers are part of the format (MPI-5.0 §12.5.5).
pub mod assertion {
    /// `MPI_MODE_NOCHECK`.
    pub const NO_CHECK: u64 = 1;
    /// `MPI_MODE_NOSTORE`.
    pub const NO_STORE: u64 = 2;
    /// `MPI_MODE_NOPUT`.
    pub const NO_PUT: u64 = 4;
    /// `MPI_MODE_NOPRECEDE`.
    pub const NO_PRECEDE: u64 = 8;
    /// `MPI_MODE_NOSUCCEED`.
    pub const NO_SUCCEED: u64 = 16;
    /// The window's `accumulate_ops` is `same_op`: of [`super::epoch::PROMISED`] alone, as are those that follow.
    pub const SAME_OP: u64 = 32;
    /// Its `same_size` is true.
    pub const SAME_SIZE: u64 = 64;
    /// Its `same_disp_unit` is true.
    pub const SAME_UNIT: u64 = 128;
}

/// What happens to memory of a window; numbers are part of the format (MPI-5.0 §12.2).
pub mod memory {
    /// It is the window's from the beginning.
    pub const WHOLE: u64 = 0;
    /// The same, and processes of its host may access it without MPI (`MPI_Win_allocate_shared`).
    pub const SHARED: u64 = 1;
    /// `MPI_Win_attach`.
    pub const ATTACHED: u64 = 2;
    /// `MPI_Win_detach`; the length is unknown.
    pub const DETACHED: u64 = 3;
}

/// How an instruction of the program touches memory of a window: bits of [`Body::Loaded`].
pub mod touch {
    /// It may load.
    pub const LOADS: u64 = 1;
    /// It may store; with both bits it is one of them, as its machine code shows.
    pub const STORES: u64 = 2;
    /// The memory is exposed by a fence or `MPI_Win_post`, not under locks.
    pub const ACTIVE: u64 = 4;
}

/// Where a seek of a shared file pointer begins; numbers are part of the format (MPI-5.0 §14.4.4).
pub mod seek {
    /// At the begin of the view.
    pub const SET: u64 = 0;
    /// Where the pointer is.
    pub const CURRENT: u64 = 1;
    /// At the end of the file, or nowhere.
    pub const END: u64 = 2;
}

/// What orders accesses to a file; numbers are part of the format (MPI-5.0 §14.6.1).
pub mod order {
    /// `MPI_File_sync`.
    pub const SYNC: u64 = 0;
    /// `MPI_File_close`.
    pub const CLOSE: u64 = 1;
    /// `MPI_File_set_atomicity` with false.
    pub const NOT_ATOMIC: u64 = 2;
    /// `MPI_File_set_atomicity` with true.
    pub const ATOMIC: u64 = 3;
}

/// Elements of one datatype.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Where they begin, 0 for `MPI_BOTTOM` and for what is not significant.
    pub address: u64,
    /// How many.
    pub count: u64,
    /// Of which datatype, 0 for what is not significant on this process.
    pub datatype: u32,
}

/// One side of a collective operation: the same for everybody, or something for each. Only what is significant on this
/// process: the root of a broadcast gives, the others get; what `MPI_IN_PLACE` replaces is empty; reductions have their count
/// and datatype on both sides. In `MPI_Reduce_scatter` the counts for each process stand on the send side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The buffer. Where every process has its own count, the count is their sum.
    pub data: Data,
    /// Few have lists, and all events are as large as the largest one.
    pub(super) lists: Option<Box<Lists>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lists {
    pub(super) counts: Vec<u64>,
    pub(super) datatypes: Vec<u32>,
}

impl Part {
    /// A buffer with counts and datatypes for each process, each empty where all have the same.
    pub fn new(data: Data, counts: Vec<u64>, datatypes: Vec<u32>) -> Part {
        let has_lists = !counts.is_empty() || !datatypes.is_empty();
        Part { data, lists: has_lists.then(|| Box::new(Lists { counts, datatypes })) }
    }

    /// Counts for each process, where each has its own.
    pub fn counts(&self) -> &[u64] {
        self.lists.as_ref().map_or(&[], |lists| &lists.counts)
    }

    /// Datatypes for each, where each has its own.
    pub fn datatypes(&self) -> &[u32] {
        self.lists.as_ref().map_or(&[], |lists| &lists.datatypes)
    }
}

impl From<Data> for Part {
    fn from(data: Data) -> Part {
        Part { data, lists: None }
    }
}

/// A frame of a stack, while a function that it has called runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where that function returns to.
    pub pc: u64,
    /// Stack pointer after it has returned.
    pub sp: u64,
    /// Frame pointer register then, whatever it is used for.
    pub fp: u64,
    /// One past the frame's last byte, behind its own return address: DWARF's canonical frame address.
    pub end: u64,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// MPI is there: `MPI_Init` or the first session has returned.
    Begin {
        /// Threads that the process has then, by their ids in the system; none where they are not known.
        threads: Vec<u32>,
    },
    /// `MPI_Finalize` is entered.
    End,
    /// A send begins. `op` is its number in this process; a blocking one is over with the call's return.
    Send {
        /// Number of the operation, never used again in this process.
        op: u64,
        /// See [`mode`].
        mode: u64,
        /// Of a partitioned send: into how many partitions it is divided, else 0.
        partitions: u32,
        /// Rank in the communicator (of the remote group of an intercommunicator), −1 in the world of [`flag::PROC_NULL`].
        dest: i32,
        /// Tag.
        tag: i32,
        /// What is sent.
        data: Data,
    },
    /// A receive begins.
    Receive {
        /// See [`Body::Send`].
        op: u64,
        /// Rank; `None` for `MPI_ANY_SOURCE`.
        source: Option<i32>,
        /// Tag; `None` for `MPI_ANY_TAG`.
        tag: Option<i32>,
        /// Where it goes.
        data: Data,
    },
    /// `MPI_Probe`, `MPI_Mprobe`: waits for a message.
    Probe {
        /// As in [`Body::Receive`].
        source: Option<i32>,
        /// As in [`Body::Receive`].
        tag: Option<i32>,
        /// Reserves the message (`Mprobe`, `Improbe`): number of the reservation, else 0.
        message: u64,
    },
    /// A reserved message is received.
    ReceiveMatched {
        /// Number of the operation.
        op: u64,
        /// Number of the reservation.
        message: u64,
        /// Where it goes.
        data: Data,
    },
    /// A collective operation begins on this process.
    Collective {
        /// Number of the operation; 0 when the call itself is all of it.
        op: u64,
        /// Root; `None` where there is none. `MPI_ROOT` −1, `MPI_PROC_NULL` −2 in intercommunicators.
        root: Option<i32>,
        /// Reduction operation, 0 where there is none.
        reduction: u32,
        /// What this process gives.
        send: Part,
        /// What it gets.
        receive: Part,
        /// All other arguments on which the processes have to agree, see [`super::agreed`].
        agreed: Vec<i64>,
    },
    /// The calls of this process wait for operations.
    Wait {
        /// See [`need`].
        need: u64,
        /// Their numbers; inactive and null ones are left out.
        ops: Vec<u64>,
    },
    /// The first of a run of calls that ask without waiting and find nothing (`Test`, `Iprobe`). Further ones for the
    /// same are counted in the ring's header.
    Poll {
        /// Operations asked about; none when a probe asks.
        ops: Vec<u64>,
        /// One of them is enough.
        need: u64,
        /// What a probe asks for: source and tag, as in [`Body::Receive`].
        probe: Option<(Option<i32>, Option<i32>)>,
    },
    /// An operation is complete and the program knows it.
    Complete {
        /// Number of the operation.
        op: u64,
        /// Source and tag of a receive's status, when the process knows them.
        status: Option<(i32, i32)>,
        /// Bytes received.
        bytes: u64,
        /// It was cancelled.
        cancelled: bool,
    },
    /// A probe has found a message; whether it asked for any stands in the flags.
    Found {
        /// Where from.
        source: i32,
        /// Its tag.
        tag: i32,
        /// Number of its reservation, 0 without.
        message: u64,
    },
    /// The open call has returned.
    Return {
        /// `MPI_SUCCESS` is 0.
        code: i32,
        /// Source and tag of a blocking receive.
        status: Option<(i32, i32)>,
        /// Bytes it received.
        bytes: u64,
    },
    /// A request is given up: `MPI_Cancel` (`freed` false) or `MPI_Request_free`.
    Drop {
        /// Number of the operation.
        op: u64,
        /// Freed, and not only cancelled.
        freed: bool,
    },
    /// Partitions of a send are ready (MPI-5.0 §4.2).
    Ready {
        /// Number of the operation.
        op: u64,
        /// First and last of them.
        partitions: (u64, u64),
    },
    /// Synchronisation of a window.
    Epoch {
        /// Window.
        window: u32,
        /// See [`epoch`].
        what: u64,
        /// See [`assertion`].
        assertion: u64,
        /// Ranks in the window's communicator: the target of a lock, the group of a start or post.
        targets: Vec<i32>,
    },
    /// An access to another process's memory.
    Access {
        /// Window.
        window: u32,
        /// See [`access`].
        what: u64,
        /// Number of the operation when it has a request, else 0.
        op: u64,
        /// Rank in the window's communicator.
        target: i32,
        /// Operation of an accumulate.
        reduction: u32,
        /// Memory of this process that is read or written.
        origin: Data,
        /// Where the result goes (`Get_accumulate`, `Fetch_and_op`), an empty one if nowhere.
        result: Data,
        /// Displacement in the target's window, in its units; `address` is that displacement.
        at_target: Data,
        /// The first bytes that a put writes, at most [`MOST_CONTENT`]; none where they do not lie in one piece.
        content: Vec<u8>,
    },
    /// Memory of this process is, or is not any more, part of a window.
    Memory {
        /// Window.
        window: u32,
        /// See [`memory`].
        what: u64,
        /// First byte.
        address: u64,
        /// Bytes.
        bytes: u64,
    },
    /// The process's own memory of a window has changed since the epoch in which others may access it began.
    Stored {
        /// Window.
        window: u32,
        /// Stretches of changed bytes: offset from the begin of the window's memory, and length.
        pieces: Vec<(u64, u64)>,
        /// What is there now: the bytes of the first stretches, at most [`MOST_CONTENT`].
        content: Vec<u8>,
    },
    /// What an access reads, in memory of windows, has changed since it began, and its end has not begun. Others may have written
    /// there as well.
    Changed {
        /// First byte of the access's buffer.
        address: u64,
        /// Bytes from there to its last one.
        bytes: u64,
        /// How many of them have changed.
        changed: u64,
        /// The first of these, from the address that the program has given.
        first: i64,
        /// Call site of the access.
        origin: u32,
        /// The access's function, and further details.
        text: String,
    },
    /// The process itself was seen to access memory of a window that others may access as well, before this call.
    Loaded {
        /// Window.
        window: u32,
        /// Whose part of it: another process's is shared memory.
        target: i32,
        /// See [`touch`].
        how: u64,
        /// First byte of the word, from the begin of that part; where memory was attached its address.
        at: u64,
        /// Bytes of the word.
        bytes: u64,
        /// Site of the instruction.
        site: u32,
    },
    /// A generalised request begins, or the program says that its operation is complete (MPI-5.0 §13.2).
    Generalized {
        /// Number of the operation.
        op: u64,
        /// `MPI_Grequest_complete`.
        is_complete: bool,
    },
    /// The buffer of `MPI_Bsend` and its like.
    Attached {
        /// Bytes, 0 none; `u64::MAX` when they are not known.
        bytes: u64,
        /// `MPI_BSEND_OVERHEAD` of the program's MPI.
        overhead: u64,
    },
    /// The call, or its request, waits until all messages in a buffer for `MPI_Bsend` have been transmitted: the one of the
    /// head's communicator, or the process's.
    Flush {
        /// Number of the operation.
        op: u64,
    },
    /// Elements were packed or unpacked (`MPI_Pack`, `MPI_Unpack`).
    Packed {
        /// Packed.
        packs: bool,
        /// Bytes that they take in the packed buffer.
        bytes: u64,
        /// Which elements; the address is that in the packed buffer.
        data: Data,
        /// The first bytes there, at most [`MOST_CONTENT`].
        content: Vec<u8>,
    },
    /// A status is asked how many elements of a datatype were received (`MPI_Get_count`), and another one was received.
    Counted {
        /// Datatype of the receive.
        received: u32,
        /// The one that is asked for.
        asked: u32,
        /// Bytes that were received.
        bytes: u64,
        /// Where they were received.
        site: u32,
    },
    /// A file was opened.
    Opened {
        /// File.
        file: u32,
        /// The same for all processes that have opened the same file on one host, 0 unknown.
        identity: u64,
        /// Its pointers are at the end of the file (`MPI_MODE_APPEND`).
        appends: bool,
    },
    /// `MPI_File_seek_shared`.
    Seek {
        /// File.
        file: u32,
        /// See [`seek`].
        whence: u64,
        /// How far from there, bytes of the view's data.
        by: i64,
    },
    /// A view of a file was set.
    View {
        /// File.
        file: u32,
        /// Where it begins, bytes.
        begin: i64,
        /// Datatype that tiles the file from there.
        pieces: u32,
        /// Bytes of data for each unit of an offset in the view.
        unit: u64,
    },
    /// What a process has done to a file so far is in order with what comes later.
    Ordered {
        /// File.
        file: u32,
        /// See [`order`].
        what: u64,
    },
    /// A file is read or written.
    File {
        /// File.
        file: u32,
        /// Data of the view before the first byte, when it is known, bytes.
        offset: Option<u64>,
        /// Bytes.
        bytes: u64,
        /// Writes.
        writes: bool,
    },
    /// The process itself has found something wrong.
    Finding {
        /// See [`super::rule`].
        rule: u16,
        /// Number of the argument in C that is wrong, from 0; 255 when none is.
        argument: u8,
        /// The call did not reach the MPI: it would have ended the process.
        withheld: bool,
        /// Call site of what it is about: where a leaked object was made, a request started.
        origin: u32,
        /// Numbers that explain it, in an order that each rule has.
        values: [i64; 3],
        /// Text that explains it, at most 256 bytes: a name, an object.
        text: String,
    },
    /// A buffer that may be a variable of the program, by its address. Told once for each place: call site, address, datatype and
    /// bytes.
    Passed {
        /// Number of the argument in C, from 0.
        argument: u8,
        /// The call writes there.
        writes: bool,
        /// From its first byte to its last all is of one variable: displacements in bytes may lead from one to another.
        is_one: bool,
        /// Where its elements begin; of a buffer with displacements no datatype and no count.
        data: Data,
        /// The bytes it covers, from that address on: first and one past the last.
        span: (i64, i64),
        /// On the stack: where; else it lies in a mapped object.
        frame: Option<Frame>,
    },
    /// A kind this reader does not know.
    Unknown(u8),
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What all have.
    pub head: Head,
    /// What it says.
    pub body: Body,
}
