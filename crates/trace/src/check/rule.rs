//! Numbers of what a process finds wrong by itself, before any other process is asked. Part of the format: texts,
//! severities and sections of the standard stand with whoever reads them.

/// Declares the numbers, and the names under which they are reported.
macro_rules! rules {
    ($($(#[$text:meta])* $name:ident = $number:literal, $id:literal;)*) => {
        $($(#[$text])* pub const $name: u16 = $number;)*

        /// The stable id of a rule: what reports, filters and suppressions call it.
        pub fn id(rule: u16) -> Option<&'static str> {
            match rule {
                $($name => Some($id),)*
                _ => None,
            }
        }

        /// All of them.
        pub const ALL: &[u16] = &[$($name),*];
    };
}

/// With the site of an instruction that is seen to touch a word of a buffer: it may be one that wants what lies beside (a vector, of which
/// a mask takes a part). Its code shows that.
pub const MAY_BE_BESIDE: i64 = 1 << 32;
/// With the same of one that writes: the buffer has not changed, so that there is nothing to report if it has not written there.
pub const UNCHANGED: i64 = 1 << 33;
/// With the site of an access of a race: it writes.
pub const WRITES: i64 = 1 << 34;
/// The same: something that the race detector does not know may have put it in order.
pub const MAY_BE_ORDERED: i64 = 1 << 35;

rules! {
    /// A communicator that is null, freed or none.
    COMM = 1, "argument.communicator";
    /// A rank outside of its communicator's group.
    RANK = 2, "argument.rank";
    /// A root outside of its communicator's group.
    ROOT = 3, "argument.root";
    /// A tag below 0 or above `MPI_TAG_UB`, or a wildcard in a send.
    TAG = 4, "argument.tag";
    /// A negative count.
    COUNT = 5, "argument.count";
    /// A datatype that is null, freed or none.
    TYPE = 6, "argument.datatype";
    /// A datatype that is used in communication before `MPI_Type_commit`.
    UNCOMMITTED = 7, "argument.datatype-uncommitted";
    /// An operation that is null, freed or none.
    OP = 8, "argument.operation";
    /// An operation on a datatype it is not defined for.
    OP_TYPE = 9, "argument.operation-datatype";
    /// A request that is none.
    REQUEST = 10, "argument.request";
    /// A window that is null, freed or none.
    WINDOW = 11, "argument.window";
    /// A file that is null, closed or none.
    FILE = 12, "argument.file";
    /// An info that is freed or none.
    INFO = 13, "argument.info";
    /// A group that is null, freed or none.
    GROUP = 14, "argument.group";
    /// A null buffer with something to transfer.
    BUFFER_NULL = 15, "argument.buffer-null";
    /// A buffer that is not mapped for what is to be done with it.
    BUFFER_UNMAPPED = 16, "argument.buffer-inaccessible";
    /// A buffer that ends beyond the piece of heap, the stack frame or the mapping that it lies in.
    BUFFER_SHORT = 17, "argument.buffer-short";
    /// `MPI_IN_PLACE` where it is not allowed.
    IN_PLACE = 18, "argument.in-place";
    /// Send and receive buffer of one call overlap.
    BUFFERS_OVERLAP = 19, "argument.buffers-overlap";
    /// A null pointer for something that the call writes or reads.
    NULL = 20, "argument.null-pointer";
    /// Any other value that the standard does not allow.
    VALUE = 21, "argument.value";
    /// A displacement or target outside of a window.
    TARGET_RANGE = 22, "rma.target-range";

    /// An attribute key that is invalid, freed or of another kind of objects, or the MPI's own where that may not be.
    KEYVAL = 26, "argument.attribute-key";
    /// A message handle that stands for no message.
    MESSAGE = 27, "argument.message";
    /// An error handler that is null, freed, none or for another kind of objects.
    ERRHANDLER = 29, "argument.error-handler";
    /// A session that is null, finalised or none.
    SESSION = 30, "argument.session";
    /// A receive that writes the same bytes twice.
    WRITTEN_TWICE = 28, "argument.receive-overlap";

    /// What the info of a communicator promises is not kept.
    PROMISE = 31, "argument.promise";

    /// A buffer that goes on behind the variable that it is.
    VARIABLE_SHORT = 36, "argument.variable-short";
    /// A buffer that is a variable of another type.
    VARIABLE_TYPE = 37, "argument.variable-type";

    /// A call before `MPI_Init` or after `MPI_Finalize`.
    OUTSIDE = 40, "life.outside";
    /// `MPI_Init` for the second time.
    INIT_TWICE = 41, "life.init-twice";
    /// A process that ended without `MPI_Finalize`.
    NO_FINALIZE = 42, "life.no-finalize";
    /// Calls of more threads than the thread level allows.
    THREAD_LEVEL = 43, "life.thread-level";

    /// More threads than one in a process that has asked for one.
    THREAD_SINGLE = 45, "life.thread-single";
    /// Calls of threads that the level asked for does not allow, and the one granted does.
    THREAD_UNASKED = 46, "life.thread-unasked";

    /// A process that has ended inside a call.
    DIED = 44, "life.died";

    /// A request that was never completed.
    REQUEST_LEAK = 60, "request.never-completed";
    /// A persistent request that was started while active.
    REQUEST_STARTED_TWICE = 61, "request.started-twice";
    /// A request that was freed while active.
    REQUEST_FREED_ACTIVE = 62, "request.freed-active";
    /// A wait for a persistent request that was not started.
    REQUEST_INACTIVE = 63, "request.inactive";
    /// A request that was completed or freed before.
    REQUEST_STALE = 64, "request.stale";
    /// A handle of an active request was overwritten by another call.
    REQUEST_OVERWRITTEN = 65, "request.overwritten";
    /// Start of a request that is not persistent.
    REQUEST_NOT_PERSISTENT = 66, "request.not-persistent";
    /// A partition that is marked twice, or outside of the request's.
    PARTITION = 67, "request.partition";

    /// A request that two threads complete at the same time.
    REQUEST_CONCURRENT = 69, "request.concurrent";

    /// A communicator that was never freed.
    COMM_LEAK = 80, "leak.communicator";
    /// A group that was never freed.
    GROUP_LEAK = 81, "leak.group";
    /// A datatype that was never freed.
    TYPE_LEAK = 82, "leak.datatype";
    /// An operation that was never freed.
    OP_LEAK = 83, "leak.operation";
    /// A window that was never freed.
    WINDOW_LEAK = 84, "leak.window";
    /// A file that was never closed.
    FILE_LEAK = 85, "leak.file";
    /// An info that was never freed.
    INFO_LEAK = 86, "leak.info";
    /// An error handler that was never freed.
    ERRHANDLER_LEAK = 87, "leak.error-handler";
    /// A session that was never finalised.
    SESSION_LEAK = 88, "leak.session";
    /// An attribute key that was never freed.
    KEYVAL_LEAK = 89, "leak.attribute-key";
    /// A persistent request that was never freed.
    PERSISTENT_LEAK = 93, "leak.request";
    /// An object that was freed twice, or that may not be freed.
    FREED = 90, "object.freed";

    /// A send buffer that was written before the send was complete.
    SEND_WRITTEN = 100, "buffer.send-written";
    /// A receive buffer that was written before the receive was complete.
    RECEIVE_WRITTEN = 101, "buffer.receive-written";
    /// A buffer that overlaps one of another operation that is under way.
    BUFFER_IN_USE = 102, "buffer.in-use";
    /// A receive buffer that was read before the receive was complete.
    RECEIVE_READ = 103, "buffer.receive-read";
    /// An array of counts, displacements or datatypes that was written before the operation was complete.
    ARGUMENT_WRITTEN = 105, "buffer.argument-written";

    /// The buffer of a send that was written after its request was freed, and before anything has shown that the send is complete.
    FREED_WRITTEN = 104, "buffer.freed-written";

    /// A buffer of an operation that was accessed by the program in no order with it.
    BUFFER_RACE = 106, "buffer.race";
    /// Memory that two threads of the program access in no order.
    MEMORY_RACE = 107, "race.memory";

    /// Collective operations of two threads on one communicator at the same time.
    COLLECTIVE_CONCURRENT = 110, "collective.concurrent";

    /// An access outside of any epoch.
    NO_EPOCH = 120, "rma.no-epoch";
    /// An epoch that was opened in another one.
    EPOCH_NESTED = 121, "rma.epoch-nested";
    /// An epoch that was closed and never opened.
    EPOCH_UNMATCHED = 122, "rma.epoch-unmatched";
    /// A window that was freed, or a program that ended, in an epoch.
    EPOCH_OPEN = 123, "rma.epoch-open";

    /// An assertion that does not hold.
    ASSERTION = 124, "rma.assertion";
    /// `MPI_Win_sync` where no lock is held.
    SYNC = 125, "rma.sync";

    /// `MPI_Bsend` without an attached buffer, or with one that is too small.
    BSEND_BUFFER = 140, "buffered-send.buffer";
    /// An error code that the program did not look at.
    ERROR_IGNORED = 141, "error.ignored";
    /// A file was read or written against the mode it was opened with.
    FILE_MODE = 142, "file.mode";
    /// A split collective operation that was begun twice, or ended without having begun.
    FILE_SPLIT = 143, "file.split-collective";
    /// `MPI_File_delete` of a file that the process has open.
    FILE_DELETED = 144, "file.deleted-open";

    /// A buffer is detached where none is attached.
    BSEND_DETACH = 150, "buffered-send.detach";
    /// Memory that is attached for buffered sends was given back.
    BSEND_GONE = 151, "buffered-send.gone";
    /// Memory that is attached for buffered sends is used by another operation.
    BSEND_IN_USE = 152, "buffered-send.in-use";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ids_are_distinct() {
        let ids: std::collections::BTreeSet<_> = ALL.iter().map(|&rule| id(rule).unwrap()).collect();
        let numbers: std::collections::BTreeSet<_> = ALL.iter().collect();
        assert_eq!((ids.len(), numbers.len()), (ALL.len(), ALL.len()));
        assert_eq!(id(0), None);
    }
}
