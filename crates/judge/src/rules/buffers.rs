//! Buffers of pending operations, and the buffer of `MPI_Bsend`: each process checks its own.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    // {0}: how many bytes, {1}: the first of them.
    rule! { process n::SEND_WRITTEN, "buffer.send-written", Error, Certain, "3.7.2", "Send buffer is written before the send is complete",
        text: "{0} bytes of the send buffer changed, from byte {1} on, between start and completion[ ({text})].",
        meaning: "The program writes into the buffer of a non-blocking send before a wait or test completes it. The receiver may get the old or \
            the new data.",
        example: [
            "MPI_Isend(&x, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request);",
            "x = 5;",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);",
        ],
        advice: "Wait for the request before the buffer is written, or use a second buffer." },
    // {0}: how many bytes, {1}: the first of them.
    rule! { process n::RECEIVE_WRITTEN, "buffer.receive-written", Error, Certain, "3.7.2", "Receive buffer is written before the receive is complete",
        text: "{0} bytes of the receive buffer changed, from byte {1} on, between start and completion[ ({text})].",
        meaning: "The program writes into the buffer of a non-blocking receive before it is complete. Either value may survive.",
        example: [
            "MPI_Irecv(&x, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request);",
            "x = 0;",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);",
        ],
        advice: "Wait for the request before the buffer is used." },
    // {0}: how many bytes, {text}: which operation.
    rule! { process n::BUFFER_IN_USE, "buffer.in-use", Error, Certain, "3.7.2", "Buffer overlaps that of a pending operation",
        text: "A pending operation uses {0} bytes of the buffer[ ({text})].",
        meaning: "A call uses memory that a pending operation reads or writes, and at least one of the two writes it.",
        example: [
            "MPI_Irecv(data, n, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);",
            "MPI_Irecv(data, n, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);",
            "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
        ],
        advice: "Wait for the other operation first, or use separate buffers." },
    // {1}: the first byte that is certainly read.
    rule! { process n::RECEIVE_READ, "buffer.receive-read", Error, Certain, "3.7.2", "Receive buffer is read before the receive is complete",
        text: "The receive buffer is read, first at byte {1}, before the receive is complete[ ({text})].",
        meaning: "The program reads the buffer of a non-blocking receive before a wait or test completes it. The data may not have arrived.",
        example: [
            "MPI_Irecv(&x, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request);",
            "printf(\"%d\\n\", x);",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);",
        ],
        advice: "Wait for the request before the buffer is used." },
    // {0}: how many bytes, {1}: the first of them.
    rule! { process n::ARGUMENT_WRITTEN, "buffer.argument-written", Error, Possible, "6.12", "Counts or displacements are written before the operation is complete",
        text: "{0} bytes of an array of counts, displacements or datatypes changed, from byte {1} on, between start and completion[ ({text})].",
        meaning: "The arrays of counts, displacements and datatypes of a non-blocking collective operation must not change before it is complete.",
        example: [
            "MPI_Igatherv(mine, k, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD, &request);",
            "free(counts);",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);",
        ],
        advice: "Keep the arrays of a non-blocking operation unchanged until its request is complete." },
    // {0}: how many bytes, {1}: the first of them.
    rule! { process n::FREED_WRITTEN, "buffer.freed-written", Error, Possible, "3.7.3", "Send buffer is written after its request is freed",
        text: "{0} bytes of the send buffer changed, from byte {1} on, after its request was freed and before any call could confirm that the \
            send is complete[ ({text})].",
        meaning: "MPI_Request_free does not complete a send. Its buffer must stay unchanged until something else, such as a reply from the \
            receiver, confirms the completion.",
        example: [
            "MPI_Isend(data, n, MPI_INT, to, 0, MPI_COMM_WORLD, &request);",
            "MPI_Request_free(&request);",
            "data[0] = 1;",
        ],
        advice: "Wait for the request, or for a reply from the receiver, before the buffer is written." },
    // {1}: the byte, {text}: whether it was accessed earlier or later, or which other operation uses it.
    rule! { process n::BUFFER_RACE, "buffer.race", Error, Certain, "11.6", "Data race between a thread and the buffer of an operation",
        text: "Byte {1} of the buffer is accessed, and no synchronisation orders the access and the operation: they may happen at the same \
            time[ ({text})].",
        meaning: "A thread accesses the buffer of an operation that another thread started, and nothing (barrier, lock, join) separates the \
            access from the operation.",
        example: [
            "#pragma omp parallel num_threads(2)",
            "if (omp_get_thread_num() == 0)",
            "    MPI_Recv(&x, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
            "else",
            "    x = 5;",
        ],
        advice: "Synchronise the thread that accesses the buffer with the completion of the operation: by a barrier, a lock or a join." },
    // {text}: the whole text; {0}: how many bytes the message needs, {1}: how many are attached.
    rule! { process n::BSEND_BUFFER, "buffered-send.buffer", Error, Certain, "3.6", "Buffer for MPI_Bsend is missing, too small or attached twice",
        text: "{text}.",
        meaning: "Buffered sends copy their messages into the attached buffer. It must hold all buffered messages that are not yet delivered, \
            each with MPI_BSEND_OVERHEAD. Only one buffer may be attached at a time.",
        example: [
            "MPI_Buffer_attach(memory, 100 * sizeof(int));  // MPI_BSEND_OVERHEAD is missing",
            "MPI_Bsend(data, 100, MPI_INT, to, 0, MPI_COMM_WORLD);",
        ],
        advice: "Attach one buffer that holds all pending buffered messages, plus MPI_BSEND_OVERHEAD for each." },
    rule! { process n::BSEND_DETACH, "buffered-send.detach", Warning, Possible, "3.6", "MPI_Buffer_detach without an attached buffer",
        text: "No buffer is attached: some MPI libraries return a buffer of 0 bytes, others an error[ ({text})].",
        meaning: "The program detaches a buffer although none is attached, often because it detaches twice.",
        example: [
            "MPI_Buffer_detach(&memory, &bytes);",
            "MPI_Buffer_detach(&memory, &bytes);",
        ],
        advice: "Detach once for each MPI_Buffer_attach." },
    // {0}: how many bytes, {text}: what happened to it.
    rule! { process n::BSEND_GONE, "buffered-send.gone", Error, Certain, "3.6", "Attached buffer no longer exists",
        text: "The memory of {0} bytes that is attached for buffered sends no longer exists: {text}.",
        meaning: "The memory that is attached for buffered sends was freed, or was a local variable of a function that has returned.",
        example: [
            "void *memory = malloc(bytes);",
            "MPI_Buffer_attach(memory, bytes);",
            "free(memory);  // before MPI_Buffer_detach",
        ],
        advice: "Call MPI_Buffer_detach before the memory is freed, and attach memory that lives long enough." },
    // {0}: how many bytes.
    rule! { process n::BSEND_IN_USE, "buffered-send.in-use", Error, Certain, "3.6", "Attached buffer is used by another operation",
        text: "The call's buffer shares {0} bytes with the memory that is attached for buffered sends[ ({text})].",
        meaning: "While memory is attached for buffered sends, only MPI may use it.",
        example: [
            "MPI_Buffer_attach(memory, bytes);",
            "MPI_Recv(memory, n, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Use other memory, or call MPI_Buffer_detach first." },
];
