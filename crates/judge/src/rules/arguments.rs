//! Arguments of one call: each process checks its own, by the numbers of these rules.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    // {text}: why, such as "null handle", "already freed", "never created".
    rule! { process n::COMM, "argument.communicator", Error, Certain, "7.2.2", "Invalid communicator handle",
        text: "The communicator is invalid[: {text}].",
        meaning: "The call is given a communicator that is MPI_COMM_NULL, already freed, never created, or of the wrong kind \
            (an intercommunicator where an intracommunicator is required, or one without the required topology).",
        example: [
            "MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &workers);",
            "MPI_Barrier(workers);  // MPI_COMM_NULL on rank 0",
        ],
        advice: "Check where the handle is set. Do not use it after MPI_Comm_free, or on ranks that are not in the communicator." },
    // {0}: the rank, {1}: the size of the group.
    rule! { process n::RANK, "argument.rank", Error, Certain, "3.2.3", "Rank outside the communicator",
        text: "Rank {0} does not exist in a group of {1} processes[ ({text})].",
        meaning: "A source, destination or target rank is negative, or not less than the size of the communicator's group.",
        example: [
            "MPI_Comm_rank(MPI_COMM_WORLD, &rank);",
            "MPI_Send(halo, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);  // the last rank has no right neighbour",
        ],
        advice: "Use ranks from 0 to size - 1. At the edges of a domain use MPI_PROC_NULL." },
    // {0}: the root, {1}: the size of the group.
    rule! { process n::ROOT, "argument.root", Error, Certain, "6.1", "Root outside the communicator",
        text: "Root {0} does not exist in a group of {1} processes[ ({text})].",
        meaning: "The root of a collective operation is negative, or not less than the size of the communicator's group.",
        example: [
            "MPI_Comm_size(MPI_COMM_WORLD, &size);",
            "MPI_Bcast(data, n, MPI_INT, size, MPI_COMM_WORLD);  // the last rank is size - 1",
        ],
        advice: "Use roots from 0 to size - 1. MPI_ROOT and MPI_PROC_NULL are for intercommunicators only." },
    // {0}: the tag, {1}: the largest allowed (MPI_TAG_UB).
    rule! { process n::TAG, "argument.tag", Error, Certain, "3.2.3", "Invalid tag",
        text: "Tag {0} is outside the range 0 to {1}[ ({text})].",
        meaning: "A tag is negative or larger than the attribute MPI_TAG_UB allows, or a send uses the wildcard MPI_ANY_TAG.",
        example: [
            "MPI_Send(data, n, MPI_INT, to, MPI_ANY_TAG, MPI_COMM_WORLD);",
        ],
        advice: "Use tags from 0 to MPI_TAG_UB. MPI_ANY_TAG is for receives and probes only." },
    // {0}: the count.
    rule! { process n::COUNT, "argument.count", Error, Certain, "3.2.2", "Negative count",
        text: "The count is {0}[ ({text})].",
        meaning: "A count is less than 0, often after an integer overflow.",
        example: [
            "int count = nx * ny * nz;  // 2000 * 2000 * 1000 overflows an int",
            "MPI_Send(grid, count, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);",
        ],
        advice: "Look for an integer overflow or a length that was never set." },
    // {text}: why, such as "null handle", "already freed", "never created".
    rule! { process n::TYPE, "argument.datatype", Error, Certain, "3.2.2", "Invalid datatype",
        text: "The datatype is invalid[: {text}].",
        meaning: "The call is given a datatype that is MPI_DATATYPE_NULL, already freed or never created, or one that this call does not allow.",
        example: [
            "MPI_Type_free(&column);",
            "MPI_Send(matrix, 1, column, to, 0, MPI_COMM_WORLD);  // column is MPI_DATATYPE_NULL",
        ],
        advice: "Check where the handle is set. Do not use it after MPI_Type_free." },
    // {text}: its name.
    rule! { process n::UNCOMMITTED, "argument.datatype-uncommitted", Error, Certain, "5.1.9", "Datatype is not committed",
        text: "The datatype[ {text}] is used in communication before MPI_Type_commit.",
        meaning: "A derived datatype must be committed before it is used in communication, RMA or file access.",
        example: [
            "MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column);",
            "MPI_Send(matrix, 1, column, to, 0, MPI_COMM_WORLD);  // no MPI_Type_commit(&column)",
        ],
        advice: "Call MPI_Type_commit after the datatype is created." },
    // {text}: why, such as "null handle", "already freed", "never created".
    rule! { process n::OP, "argument.operation", Error, Certain, "6.9.2", "Invalid reduction operation",
        text: "The reduction operation is invalid[: {text}].",
        meaning: "The call is given an operation that is MPI_OP_NULL, already freed or never created, or one that this call does not allow: \
            MPI_REPLACE and MPI_NO_OP in a reduction, or a user-defined operation in MPI_Accumulate.",
        example: [
            "MPI_Op_free(&op);",
            "MPI_Allreduce(mine, sum, n, MPI_DOUBLE, op, MPI_COMM_WORLD);  // op is MPI_OP_NULL",
        ],
        advice: "Check where the handle is set. Do not use it after MPI_Op_free." },
    // {text}: operation and datatype.
    rule! { process n::OP_TYPE, "argument.operation-datatype", Error, Certain, "6.9.2", "Reduction operation is not defined for the datatype",
        text: "The reduction operation is not defined for this datatype[: {text}].",
        meaning: "Each predefined operation is defined for some kinds of predefined datatypes only: logical operations not for floating-point \
            numbers, arithmetic not for MPI_BYTE, none for derived datatypes.",
        example: [
            "MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_LAND, MPI_COMM_WORLD);",
        ],
        advice: "Use a predefined datatype for which the operation is defined, or create an operation with MPI_Op_create." },
    // {text}: why, such as "null handle", "never created".
    rule! { process n::REQUEST, "argument.request", Error, Certain, "3.7.1", "Invalid request",
        text: "The request is invalid[: {text}].",
        meaning: "The call is given a request that MPI did not create, or MPI_REQUEST_NULL where it is not allowed.",
        example: [
            "MPI_Request request;  // not initialised",
            "if (rank > 0)",
            "    MPI_Irecv(data, n, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, &request);",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);",
        ],
        advice: "Initialise requests with MPI_REQUEST_NULL. Pass only requests that an MPI call has set." },
    // {text}: why, such as "null handle", "already freed", "never created".
    rule! { process n::WINDOW, "argument.window", Error, Certain, "12.2", "Invalid window",
        text: "The window is invalid[: {text}].",
        meaning: "The call is given a window that is MPI_WIN_NULL, already freed or never created.",
        example: [
            "MPI_Win_free(&window);",
            "MPI_Win_fence(0, window);  // window is MPI_WIN_NULL",
        ],
        advice: "Check where the handle is set. Do not use it after MPI_Win_free." },
    // {text}: why, such as "null handle", "already closed", "never created".
    rule! { process n::FILE, "argument.file", Error, Certain, "14.2.1", "Invalid file handle",
        text: "The file is not open[: {text}].",
        meaning: "The call is given a file handle that is MPI_FILE_NULL, already closed or never opened. MPI_File_open returns errors by \
            default, so a program that ignores its result goes wrong here.",
        example: [
            "MPI_File_open(MPI_COMM_WORLD, \"missing.dat\", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);  // fails",
            "MPI_File_read(file, data, n, MPI_INT, MPI_STATUS_IGNORE);",
        ],
        advice: "Check the result of MPI_File_open: it returns errors by default. Do not use the file after MPI_File_close." },
    // {text}: why, such as "already freed", "never created".
    rule! { process n::INFO, "argument.info", Error, Certain, "10", "Invalid info object",
        text: "The info object is invalid[: {text}].",
        meaning: "The call is given an info object that is already freed or never created, or MPI_INFO_NULL where an object is required.",
        example: [
            "MPI_Info info = MPI_INFO_NULL;",
            "MPI_Info_set(info, \"cb_nodes\", \"4\");",
        ],
        advice: "Pass MPI_INFO_NULL where the call allows it, or an object from MPI_Info_create." },
    // {text}: why, such as "null handle", "already freed", "never created".
    rule! { process n::GROUP, "argument.group", Error, Certain, "7.2.1", "Invalid group",
        text: "The group is invalid[: {text}].",
        meaning: "The call is given a group that is MPI_GROUP_NULL, already freed or never created, or one that the call does not allow.",
        example: [
            "MPI_Group_free(&group);",
            "MPI_Comm_create(MPI_COMM_WORLD, group, &comm);  // group is MPI_GROUP_NULL",
        ],
        advice: "Check where the handle is set. Do not use it after MPI_Group_free." },
    // {0}: how many bytes.
    rule! { process n::BUFFER_NULL, "argument.buffer-null", Error, Certain, "3.2.2", "Null buffer",
        text: "The buffer is NULL, and the call transfers {0} bytes[ ({text})].",
        meaning: "The buffer's address is NULL although the call transfers data. A null buffer is correct only with a count of 0 or with a \
            datatype of absolute addresses (MPI_BOTTOM).",
        example: [
            "double *data = NULL;  // never allocated",
            "MPI_Recv(data, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Check the allocation. A null buffer is allowed only with a count of 0 or a datatype of absolute addresses." },
    // {0}: how many bytes, {1}: how many are accessible, {text}: why.
    rule! { process n::BUFFER_UNMAPPED, "argument.buffer-inaccessible", Error, Certain, "3.2.2", "Inaccessible buffer",
        text: "The call transfers {0} bytes, but at most {1} bytes at this address are accessible[ ({text})].",
        meaning: "A part of the buffer is freed, not mapped, or read-only where the call writes.",
        example: [
            "double *data = malloc(100 * sizeof(double));",
            "free(data);",
            "MPI_Send(data, 100, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);",
        ],
        advice: "Check the address, the count, and whether the memory was freed." },
    // {0}: how many bytes, {1}: how many there are, {text}: what ends.
    rule! { process n::BUFFER_SHORT, "argument.buffer-short", Error, Certain, "3.2.2", "Buffer is too short",
        text: "The call transfers {0} bytes, but the memory at this address ends after {1} bytes[ ({text})].",
        meaning: "The count and the datatype describe more bytes than the memory has, often because the allocation counted bytes and the call \
            counts elements.",
        example: [
            "double *data = malloc(100);  // 100 bytes",
            "MPI_Recv(data, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // 800 bytes",
        ],
        advice: "Make the buffer larger or the count smaller. Counts are in elements of the datatype, not in bytes." },
    // {text}: the variable, its type and what the call does; {1}: how many bytes the variable has from there.
    rule! { process n::VARIABLE_SHORT, "argument.variable-short", Error, Certain, "3.2.2", "Variable is shorter than the transferred data",
        text: "{text}; there is room for {1} bytes.",
        meaning: "Debug information shows that the variable at the buffer's address has fewer bytes than the call transfers.",
        example: [
            "double sum;",
            "MPI_Allreduce(mine, &sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // writes 3 doubles",
        ],
        advice: "Make the variable larger or the count smaller. Counts are in elements of the datatype, not in bytes." },
    // {text}: the variable, its type and what the call does.
    rule! { process n::VARIABLE_TYPE, "argument.variable-type", Error, Certain, "3.3.1", "Variable and datatype do not match",
        text: "{text}.",
        meaning: "Debug information shows that the variable at the buffer's address has another type than the datatype describes.",
        example: [
            "float x = 1.0f;",
            "MPI_Send(&x, 1, MPI_INT, to, 0, MPI_COMM_WORLD);",
        ],
        advice: "Use the datatype of the variable's type: MPI_INT for int, MPI_DOUBLE for double, MPI_BYTE for untyped memory." },
    // {text}: which buffer, and why not.
    rule! { process n::IN_PLACE, "argument.in-place", Error, Certain, "6.2.1", "MPI_IN_PLACE is not allowed here",
        text: "MPI_IN_PLACE is not allowed here[: {text}].",
        meaning: "MPI_IN_PLACE is passed for the wrong buffer, on a process other than the root, or to a call that does not support it.",
        example: [
            "MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);  // on every rank, not only at the root",
        ],
        advice: "MPI_IN_PLACE replaces the send buffer of collective operations (in scatters the receive buffer), in rooted operations \
            only at the root." },
    // {0}: how many bytes overlap.
    rule! { process n::BUFFERS_OVERLAP, "argument.buffers-overlap", Error, Certain, "6.1", "Send and receive buffers overlap",
        text: "The send buffer and the receive buffer of this call share {0} bytes[ ({text})].",
        meaning: "One call reads and writes the same memory. MPI forbids aliased buffers, except through MPI_IN_PLACE.",
        example: [
            "MPI_Allreduce(&sum, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);",
        ],
        advice: "Use separate buffers, MPI_IN_PLACE, or MPI_Sendrecv_replace." },
    // {text}: the argument's name.
    rule! { process n::NULL, "argument.null-pointer", Error, Certain, "2.5", "Null pointer argument",
        text: "The call reads or writes through a pointer that is NULL[ ({text})].",
        meaning: "An argument through which MPI reads or returns a value is NULL. Arguments that may be left out have a constant for it.",
        example: [
            "MPI_Recv(data, n, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL);  // MPI_STATUS_IGNORE is meant",
        ],
        advice: "Pass the address of a variable. Where the standard allows it, a constant such as MPI_STATUS_IGNORE leaves the argument out." },
    // {0}: the value, {text}: what is allowed.
    rule! { process n::VALUE, "argument.value", Error, Certain, "2.5", "Invalid argument value",
        text: "The value {0} is not allowed here[; allowed: {text}].",
        meaning: "An argument has a value that the standard does not allow for it: a negative dimension, an invalid combination of modes, \
            an unknown order.",
        example: [
            "int dims[2] = {-4, 0};  // 0 lets MPI choose, negative numbers are invalid",
            "MPI_Dims_create(size, 2, dims);",
        ],
        advice: "Use a value that the standard allows for this argument." },
    // {text}: why.
    rule! { process n::KEYVAL, "argument.attribute-key", Error, Certain, "7.7", "Invalid attribute key",
        text: "The attribute key cannot be used here[: {text}].",
        meaning: "The key is MPI_KEYVAL_INVALID or already freed, belongs to another kind of object (communicators, windows, datatypes), or names \
            a predefined attribute, which a program cannot set.",
        example: [
            "MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);",
            "MPI_Comm_set_attr(comm, key, value);  // a key for windows",
        ],
        advice: "Use a key from the create function of the same kind of object (such as MPI_Comm_create_keyval), before it is freed. Do not set \
            predefined attributes." },
    // {text}: why.
    rule! { process n::MESSAGE, "argument.message", Error, Certain, "3.8.3", "Invalid message handle",
        text: "The message handle is invalid[: {text}].",
        meaning: "MPI_Mrecv or MPI_Imrecv is given a handle that is null, or whose message is already received.",
        example: [
            "MPI_Mprobe(from, 0, MPI_COMM_WORLD, &message, &status);",
            "MPI_Message copy = message;",
            "MPI_Mrecv(data, n, MPI_INT, &message, MPI_STATUS_IGNORE);",
            "MPI_Mrecv(data, n, MPI_INT, &copy, MPI_STATUS_IGNORE);  // already received",
        ],
        advice: "Receive each message that MPI_Mprobe or MPI_Improbe returns exactly once." },
    // {text}: why.
    rule! { process n::ERRHANDLER, "argument.error-handler", Error, Certain, "9.3", "Invalid error handler",
        text: "The error handler cannot be used here[: {text}].",
        meaning: "The error handler is null, already freed or never created, or was created for another kind of object.",
        example: [
            "MPI_Win_create_errhandler(on_error, &handler);",
            "MPI_Comm_set_errhandler(comm, handler);  // a handler for windows",
        ],
        advice: "Use a predefined handler such as MPI_ERRORS_RETURN, or one from the create function of the same kind of object, before it is \
            freed." },
    // {text}: why, such as "null handle", "already finalised", "never created".
    rule! { process n::SESSION, "argument.session", Error, Certain, "11.3", "Invalid session",
        text: "The session is invalid[: {text}].",
        meaning: "The call is given a session that is MPI_SESSION_NULL, already finalised or never created.",
        example: [
            "MPI_Session_finalize(&session);",
            "MPI_Group_from_session_pset(session, \"mpi://WORLD\", &group);  // session is MPI_SESSION_NULL",
        ],
        advice: "Check where the handle is set. Do not use it after MPI_Session_finalize." },
    // {0}: how many bytes, {text}: what overlaps.
    rule! { process n::WRITTEN_TWICE, "argument.receive-overlap", Error, Certain, "3.2.4", "Receive writes the same place twice",
        text: "The receive writes {0} bytes to a place where it also writes other data[ ({text})].",
        meaning: "Blocks of the receive datatype, its elements, or the pieces from different processes overlap: the result depends on the order \
            in which they arrive.",
        example: [
            "int counts[2] = {4, 4}, displs[2] = {0, 2};  // elements 2 and 3 are written twice",
            "MPI_Gatherv(mine, 4, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);",
        ],
        advice: "Use receive datatypes without overlaps (check the extent), and displacements that are at least the counts apart." },
    // {text}: the info key, and what contradicts it.
    rule! { process n::PROMISE, "argument.promise", Error, Certain, "7.4.4", "Call violates an info assertion",
        text: "The call violates an assertion in the communicator's info: {text}.",
        meaning: "The program has set an assertion such as mpi_assert_no_any_source on the communicator, which allows MPI to leave out work, \
            and then makes a call that the assertion excludes.",
        example: [
            "MPI_Info_set(info, \"mpi_assert_no_any_source\", \"true\");",
            "MPI_Comm_set_info(comm, info);",
            "MPI_Recv(data, n, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);",
        ],
        advice: "Remove the info key. Or name source and tag in all receives and probes of the communicator, and receive messages with the \
            counts with which they are sent." },
];
