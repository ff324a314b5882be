//! Messages: what sender and receiver declare, and what is left at the end.

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    rule! { "message.datatype", Error, Certain, "3.3.1", "Send and receive have different datatypes",
        meaning: "The basic datatypes of the message are not those of the receive.",
        example: [
            "if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);",
            "if (rank == 1) MPI_Recv(&value, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Use datatypes with the same sequence of basic datatypes on both sides." },
    rule! { "message.untyped", Warning, Possible, "3.3.1", "MPI_BYTE on one side only",
        meaning: "One side uses MPI_BYTE and the other a typed datatype. It works between machines with equal data representation, but the \
            standard requires matching types.",
        example: [
            "if (rank == 0) MPI_Send(data, 8 * n, MPI_BYTE, 1, 0, MPI_COMM_WORLD);",
            "if (rank == 1) MPI_Recv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Use the same datatype on both sides, or MPI_BYTE on both." },
    rule! { "message.truncated", Error, Certain, "3.2.4", "Message is longer than the receive buffer",
        meaning: "The message has more bytes than the count and datatype of the matching receive describe.",
        example: [
            "if (rank == 0) MPI_Send(data, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);",
            "if (rank == 1) MPI_Recv(data, 50, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Make the receive's count large enough, or get the size first with MPI_Probe and MPI_Get_count." },
    rule! { "message.unpacked-as", Error, Certain, "5.2", "Unpacked datatype differs from the packed one",
        meaning: "MPI_Unpack extracts other basic datatypes from a message than MPI_Pack put there.",
        example: [
            "MPI_Pack(&count, 1, MPI_INT, buffer, size, &position, comm);  // sender",
            "MPI_Unpack(buffer, size, &position, &scale, 1, MPI_FLOAT, comm);  // receiver",
        ],
        advice: "Unpack the same datatypes in the order in which they were packed." },
    rule! { "message.counted-as", Warning, Possible, "3.2.5", "Message is counted in elements of another datatype",
        meaning: "MPI_Get_count or MPI_Get_elements is called with a datatype whose basic datatypes are not those that were received: the count \
            has no meaning.",
        example: [
            "MPI_Recv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &status);",
            "MPI_Get_count(&status, MPI_INT, &count);",
        ],
        advice: "Pass the datatype of the receive to MPI_Get_count and MPI_Get_elements." },
    rule! { "message.ready-send", Error, Certain, "3.4", "Ready send starts before its receive is posted",
        meaning: "A ready send is correct only if the matching receive is already posted when the send starts.",
        example: [
            "if (rank == 0) MPI_Rsend(data, n, MPI_INT, 1, 0, MPI_COMM_WORLD);  // nothing orders the two",
            "if (rank == 1) MPI_Recv(data, n, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        ],
        advice: "Use MPI_Send, or make sure by an earlier message or a barrier that the receive is posted." },
    rule! { "message.lost", Error, Certain, "11.2.2", "Message is never received",
        meaning: "Sender and receiver reached MPI_Finalize, and the message was never received.",
        example: [
            "if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);  // buffered by the library",
            "MPI_Finalize();  // rank 1 has no receive",
        ],
        advice: "Receive every message. Compare source, tag and communicator with those of the receives." },
    rule! { "message.never-came", Error, Certain, "3.7.3", "Receive without a message",
        meaning: "The process reached MPI_Finalize, and no message arrived for a receive that it posted.",
        example: [
            "MPI_Irecv(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);  // no rank sends tag 7",
            "MPI_Finalize();",
        ],
        advice: "Send the message, or cancel the receive and wait for it. Compare source, tag and communicator." },
];
