//! Processes that wait for each other.

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    rule! { "deadlock.cycle", Error, Certain, "3.5", "Deadlock",
        meaning: "Processes wait for each other, and no pending operation can release any of them.",
        example: [
            "int other = 1 - rank;",
            "MPI_Recv(theirs, n, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
            "MPI_Send(mine, n, MPI_INT, other, 0, MPI_COMM_WORLD);",
        ],
        advice: "Change the order of the calls on one of the processes, or use MPI_Sendrecv or non-blocking operations." },
    rule! { "deadlock.ended", Error, Certain, "3.5", "Wait for a process that has ended",
        meaning: "A process waits for another one that has ended or is in MPI_Finalize.",
        example: [
            "if (rank == 1)",
            "    MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
            "MPI_Finalize();  // rank 0 sends nothing",
        ],
        advice: "Make the other process send or receive, or remove the call." },
    rule! { "deadlock.self", Error, Certain, "3.5", "Process waits for itself",
        meaning: "A process waits for an action that only it could do, after the call in which it waits.",
        example: [
            "MPI_Ssend(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);",
            "MPI_Recv(&y, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Post the receive with MPI_Irecv first, or use MPI_Sendrecv." },
    rule! { "deadlock.collective", Error, Certain, "6.13", "Deadlock of collective operations",
        meaning: "Processes wait for each other in collective operations that they call in different orders.",
        example: [
            "MPI_Barrier(rank == 0 ? first : second);",
            "MPI_Barrier(rank == 0 ? second : first);",
        ],
        advice: "Call collective operations of all communicators in the same order on all processes, and none between a send and its receive." },
    rule! { "deadlock.polling", Error, Certain, "3.5", "Deadlock in a polling loop",
        meaning: "Processes wait for each other, and at least one of them polls with tests or probes that can never succeed.",
        example: [
            "MPI_Irecv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);",
            "for (int done = 0; !done;)",
            "    MPI_Test(&request, &done, MPI_STATUS_IGNORE);",
            "MPI_Send(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);  // both ranks",
        ],
        advice: "Change the order of the calls on one of the processes. Check the source, tag and communicator of the polled operation." },
    rule! { "deadlock.timeout", Error, Possible, "3.5", "No progress",
        meaning: "No process made an MPI call or returned from one for longer than --deadlock-timeout, and no deadlock could be shown.",
        example: [
            "while (!flag)  // a variable that no thread sets",
            "    ;",
            "MPI_Barrier(MPI_COMM_WORLD);  // all other ranks wait here",
        ],
        advice: "Look at where each process is. Raise --deadlock-timeout if it is computing." },
    rule! { "deadlock.buffering", Warning, Certain, "3.5", "Program depends on the buffering of messages",
        meaning: "If sends (or collective operations) waited for the other side, as the standard allows, the processes would wait for each other \
            forever. With larger messages or another MPI library they do.",
        example: [
            "int other = 1 - rank;",
            "MPI_Send(mine, n, MPI_INT, other, 0, MPI_COMM_WORLD);",
            "MPI_Recv(theirs, n, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Use MPI_Sendrecv, post receives before the sends, or change the order on one of the processes." },
];
