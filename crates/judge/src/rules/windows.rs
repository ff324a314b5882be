//! Windows: epochs, which each process checks itself, and accesses of several processes.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    // {0}: the first byte, {1}: the one after the last, {2}: the window's size, {text}: the target.
    rule! { process n::TARGET_RANGE, "rma.target-range", Error, Certain, "12.3", "Access outside the window",
        text: "The call accesses bytes {0} to {1} of the target, but its window has {2} bytes[ ({text})].",
        meaning: "Displacement, count and datatype describe memory beyond the end of the target's window, or before its beginning.",
        example: [
            "MPI_Win_allocate(10 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);",
            "MPI_Win_fence(0, window);",
            "MPI_Put(&x, 1, MPI_INT, target, 10, 1, MPI_INT, window);  // elements are 0 to 9",
        ],
        advice: "Displacements are in units of the target's disp_unit. Check them, and the size that the target passed when the window was \
            created." },
    // {text}: the target.
    rule! { process n::NO_EPOCH, "rma.no-epoch", Error, Certain, "12.5", "RMA access outside an epoch",
        text: "The call accesses the window[ at {text}], but no access epoch is open.",
        meaning: "RMA calls are allowed only in an access epoch: between fences, between start and complete, or between lock and unlock.",
        example: [
            "MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);",
            "MPI_Put(&x, 1, MPI_INT, target, 0, 1, MPI_INT, window);",
            "MPI_Win_fence(0, window);",
        ],
        advice: "Open an epoch with MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all." },
    // {text}: which.
    rule! { process n::EPOCH_NESTED, "rma.epoch-nested", Error, Certain, "12.5", "Epoch is opened inside another one",
        text: "The call opens an epoch while another epoch of this window is open[ ({text})].",
        meaning: "Epochs of one window must not overlap, except locks of different targets.",
        example: [
            "MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);",
            "MPI_Win_lock_all(0, window);",
        ],
        advice: "Close the open epoch first." },
    // {text}: which.
    rule! { process n::EPOCH_UNMATCHED, "rma.epoch-unmatched", Error, Certain, "12.5", "Epoch is closed but was never opened",
        text: "The call closes an epoch that is not open[ ({text})].",
        meaning: "A call that closes or flushes an epoch has no matching call that opened it.",
        example: [
            "MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);",
            "MPI_Win_unlock(1, window);  // another target",
        ],
        advice: "Pair MPI_Win_start with MPI_Win_complete, post with wait, lock with unlock." },
    // {text}: which.
    rule! { process n::EPOCH_OPEN, "rma.epoch-open", Error, Certain, "12.2.5", "Epoch is never closed",
        text: "The window is freed, or the program ends, while an epoch is open[ ({text})].",
        meaning: "Accesses of an epoch are complete only when the epoch is closed.",
        example: [
            "MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);",
            "MPI_Put(&x, 1, MPI_INT, target, 0, 1, MPI_INT, window);",
            "MPI_Win_free(&window);  // no MPI_Win_unlock",
        ],
        advice: "Close all epochs before MPI_Win_free." },
    // {text}: which, and why.
    rule! { process n::ASSERTION, "rma.assertion", Error, Certain, "12.5.5", "RMA assertion does not hold",
        text: "An assertion does not hold: {text}.",
        meaning: "The assert argument, or the info of the window, guarantees something that is not true. The MPI library may leave out \
            synchronisation because of it.",
        example: [
            "MPI_Put(&x, 1, MPI_INT, target, 0, 1, MPI_INT, window);",
            "MPI_Win_fence(MPI_MODE_NOPRECEDE, window);  // asserts that there are no accesses before",
        ],
        advice: "Pass 0, or only assertions that hold on every process each time." },
    // {text}: what is missing.
    rule! { process n::SYNC, "rma.sync", Warning, Possible, "12.5.4", "MPI_Win_sync outside a passive-target epoch",
        text: "MPI_Win_sync is for passive-target epochs[: {text}].",
        meaning: "MPI_Win_sync synchronises the copies of a window within a passive-target epoch. Outside of one it has no defined effect.",
        example: [
            "memory[0] = 1;",
            "MPI_Win_sync(window);  // no MPI_Win_lock_all before",
            "MPI_Barrier(MPI_COMM_WORLD);",
        ],
        advice: "Call it between MPI_Win_lock_all and MPI_Win_unlock_all. Fences and MPI_Win_post do not need it." },
    rule! { "rma.conflict", Error, Certain, "12.7", "Conflicting accesses to a window",
        meaning: "Two accesses to the same memory, at least one of which writes, have no order: the result is undefined.",
        example: [
            "MPI_Win_fence(0, window);",
            "MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);  // all ranks write the same element",
            "MPI_Win_fence(0, window);",
        ],
        advice: "Separate them by a synchronisation call, or use MPI_Accumulate with the same operation." },
    rule! { "rma.conflict-accumulate", Error, Certain, "12.7.1", "Conflicting accumulates",
        meaning: "Two accumulates to the same memory in one epoch have different operations or datatypes: the result is undefined.",
        example: [
            "MPI_Win_fence(0, window);",
            "MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, rank % 2 ? MPI_SUM : MPI_MAX, window);",
            "MPI_Win_fence(0, window);",
        ],
        advice: "Use the same operation and basic datatype, or separate them by a synchronisation call." },
];
