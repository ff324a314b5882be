//! Messages that could have matched in another order, and accesses of threads that nothing orders.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    rule! { "race.receive", Hint, Possible, "3.5", "Wildcard receive could match another message",
        meaning: "Another message could have arrived first: nothing orders the two. The received data may differ from run to run.",
        example: [
            "for (int i = 1; i < size; i++)  // rank 0; all others send tag 0",
            "    MPI_Recv(&results[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Nothing, if the order does not matter. If it does, name the source or use different tags." },
    rule! { "race.probe", Hint, Possible, "3.8.1", "Wildcard probe could match another message",
        meaning: "The probe could have found another message first: nothing orders the two.",
        example: [
            "MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);",
            "MPI_Recv(data, n, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);  // perhaps not the probed message",
        ],
        advice: "Receive with the source and tag in the status of the probe." },
    rule! { "race.deadlock", Error, Certain, "3.5", "Deadlock with another order of messages",
        meaning: "A wildcard receive may match another message than in this run. Then processes wait forever, whatever the processes that \
            received something else do next.",
        example: [
            "// rank 0; ranks 1 and 2 send it one message each",
            "MPI_Recv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
            "MPI_Recv(&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // hangs if the first one takes rank 1's",
        ],
        advice: "Name the source, or use different tags; or receive the other messages from any source as well." },
    rule! { "race.truncated", Error, Certain, "3.2.4", "Message is too long with another order of messages",
        meaning: "A wildcard receive may match the other message, which has more bytes than the receive has room for.",
        example: [
            "// rank 0; rank 1 sends 10 ints, rank 2 sends 100",
            "MPI_Recv(data, 10, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
            "MPI_Recv(data, 100, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Name the source, use different tags, or make room for the longest message." },
    rule! { "race.datatype", Error, Certain, "3.3.1", "Datatypes differ with another order of messages",
        meaning: "A wildcard receive may match the other message, whose basic datatypes are not those of the receive.",
        example: [
            "// rank 0; rank 1 sends an MPI_INT, rank 2 an MPI_FLOAT",
            "MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
            "MPI_Recv(&x, 1, MPI_FLOAT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Name the source, or use different tags for different data." },
    rule! { "race.threads", Hint, Possible, "3.5", "Messages of several threads have no order",
        meaning: "Threads of one process send to the same receiver with one tag. Nothing orders these messages, and the receiver distinguishes \
            them by their order.",
        example: [
            "#pragma omp parallel num_threads(2)  // rank 0; rank 1 receives header and data in two different calls",
            "MPI_Send(part[omp_get_thread_num()], n, MPI_INT, 1, 0, MPI_COMM_WORLD);",
        ],
        advice: "Use a tag or a communicator for each thread, or send from one thread." },
    // {0}: how many bytes.
    rule! { process n::MEMORY_RACE, "race.memory", Warning, Possible, "11.6", "Data race between two threads",
        text: "Two threads of the process access {0} bytes without synchronisation, and at least one of them writes.",
        meaning: "Two threads access the same memory, at least one writes, and nothing orders the two accesses.",
        example: [
            "int sum = 0;",
            "#pragma omp parallel for  // reduction(+ : sum) is missing",
            "for (int i = 0; i < n; i++) sum += data[i];",
            "MPI_Send(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);",
        ],
        advice: "Order the two accesses by a barrier, a lock, a join or an atomic operation." },
];
