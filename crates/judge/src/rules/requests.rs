//! Requests: each process checks its own; one rule needs what other processes do.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    // {text}: the call that started it.
    rule! { process n::REQUEST_LEAK, "request.never-completed", Error, Certain, "3.7.3", "Request is never completed",
        text: "The request was never completed by a wait or test[ ({text})].",
        meaning: "A non-blocking operation was started, and no wait or test completed it before MPI_Finalize.",
        example: [
            "MPI_Isend(data, n, MPI_INT, to, 0, MPI_COMM_WORLD, &request);",
            "MPI_Finalize();  // no MPI_Wait(&request, …)",
        ],
        advice: "Wait for every request. Its buffer must not be used before." },
    rule! { process n::REQUEST_STARTED_TWICE, "request.started-twice", Error, Certain, "3.9", "Persistent request is started while active",
        text: "The persistent request is started again before its last start is complete[ ({text})].",
        meaning: "MPI_Start and MPI_Startall need an inactive request: each start must be completed before the next one.",
        example: [
            "MPI_Start(&request);",
            "MPI_Start(&request);  // no MPI_Wait in between",
        ],
        advice: "Wait for the request before it is started again." },
    // {text}: the call that started it.
    rule! { process n::REQUEST_FREED_ACTIVE, "request.freed-active", Warning, Certain, "3.7.3", "Active request is freed",
        text: "The request is freed before it is complete, so the program cannot find out when its buffer may be reused[ ({text})].",
        meaning: "MPI_Request_free lets the operation continue, but then no call can show its completion.",
        example: [
            "MPI_Isend(data, n, MPI_INT, to, 0, MPI_COMM_WORLD, &request);",
            "MPI_Request_free(&request);",
            "data[0] = 1;  // is the send complete?",
        ],
        advice: "Wait for the request instead of calling MPI_Request_free." },
    rule! { process n::REQUEST_INACTIVE, "request.inactive", Warning, Possible, "3.9", "Wait for an inactive persistent request",
        text: "The persistent request is not active: the wait returns at once[ ({text})].",
        meaning: "The persistent request was created but not started, or is already complete. A wait for it returns at once, without data.",
        example: [
            "MPI_Recv_init(data, n, MPI_INT, from, 0, MPI_COMM_WORLD, &request);",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);  // no MPI_Start(&request)",
        ],
        advice: "Call MPI_Start before the wait." },
    rule! { process n::REQUEST_STALE, "request.stale", Error, Certain, "3.7.3", "Request is already completed or freed",
        text: "The request is already completed or freed[ ({text})].",
        meaning: "The program uses a copy of a request that was completed or freed through another copy. The MPI library may have reused it for \
            another operation.",
        example: [
            "MPI_Request copy = request;",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);",
            "MPI_Wait(&copy, MPI_STATUS_IGNORE);",
        ],
        advice: "Keep no copies of requests: a wait sets only the handle it is given to MPI_REQUEST_NULL." },
    // {text}: the call whose request is lost.
    rule! { process n::REQUEST_OVERWRITTEN, "request.overwritten", Error, Certain, "3.7.3", "Handle of an active request is overwritten",
        text: "The call stores its new request over the only handle of a request that is not complete[ ({text})].",
        meaning: "The variable already holds the only handle of an active request. After the call that operation can no longer be completed.",
        example: [
            "MPI_Irecv(left, n, MPI_INT, l, 0, MPI_COMM_WORLD, &request);",
            "MPI_Irecv(right, n, MPI_INT, r, 0, MPI_COMM_WORLD, &request);",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);  // only the second receive",
        ],
        advice: "Use an array of requests, or wait before the variable is reused." },
    rule! { process n::REQUEST_NOT_PERSISTENT, "request.not-persistent", Error, Certain, "3.9", "Started request is not persistent",
        text: "The started request was not created by an MPI_…_init call[ ({text})].",
        meaning: "MPI_Start and MPI_Startall take only persistent and partitioned requests. MPI_Isend and MPI_Irecv start at once.",
        example: [
            "MPI_Isend(data, n, MPI_INT, to, 0, MPI_COMM_WORLD, &request);",
            "MPI_Start(&request);",
        ],
        advice: "Start only requests from MPI_Send_init, MPI_Recv_init and the other MPI_…_init functions." },
    // {0}: the partition, {1}: how many the request has, {text}: the problem.
    rule! { process n::PARTITION, "request.partition", Error, Certain, "4.2.1", "Invalid use of a partition",
        text: "Partition {0} of {1}[: {text}].",
        meaning: "A partition of a partitioned operation is marked ready twice or before MPI_Start, or its number is out of range.",
        example: [
            "MPI_Psend_init(data, 4, n, MPI_INT, to, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);",
            "MPI_Start(&request);",
            "MPI_Pready(4, request);  // partitions are 0 to 3",
        ],
        advice: "Mark every partition ready exactly once between MPI_Start and completion." },
    // {text}: the call that started it.
    rule! { process n::REQUEST_CONCURRENT, "request.concurrent", Error, Certain, "11.6.2", "Two threads complete the same request",
        text: "A thread completes the request while another thread waits for it[ ({text})].",
        meaning: "Two threads call wait or test for the same request at the same time. Only one of them may complete it.",
        example: [
            "#pragma omp parallel",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);  // every thread waits for the shared request",
        ],
        advice: "Let one thread wait for the request; the other threads can wait for that thread." },
    rule! { "request.freed-unconfirmed", Hint, Possible, "11.2.2", "Completion of a freed send is never confirmed",
        meaning: "The request of a send is freed, and nothing before MPI_Finalize shows the process that the send is complete.",
        example: [
            "MPI_Isend(data, n, MPI_INT, to, 0, MPI_COMM_WORLD, &request);",
            "MPI_Request_free(&request);",
            "MPI_Finalize();  // no reply from the receiver",
        ],
        advice: "Wait for the request, or for a reply from the receiver, before MPI_Finalize." },
];
