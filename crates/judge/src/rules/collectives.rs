//! Collective operations: the calls of all processes of a communicator are compared.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    rule! { "collective.call", Error, Certain, "6.13", "Different collective operations on one communicator",
        meaning: "All processes of a communicator must call the same collective operations in the same order. Where they differ, the MPI \
            library mixes up their messages, hangs or gives wrong results.",
        example: [
            "if (rank == 0)",
            "    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);",
            "else",
            "    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);",
        ],
        advice: "Make all processes of the communicator call the same operations in the same order. Look for a condition that differs between \
            the ranks." },
    rule! { "collective.blocking", Error, Certain, "6.12", "Blocking collective operation meets a non-blocking one",
        meaning: "Blocking, non-blocking and persistent collective operations do not match each other, even if they do the same.",
        example: [
            "if (rank == 0)",
            "    MPI_Ibarrier(MPI_COMM_WORLD, &request);",
            "else",
            "    MPI_Barrier(MPI_COMM_WORLD);",
        ],
        advice: "Use the same variant on all processes." },
    rule! { "collective.root", Error, Certain, "6.1", "Different roots",
        meaning: "Processes pass different roots to one operation.",
        example: [
            "MPI_Bcast(data, n, MPI_INT, rank, MPI_COMM_WORLD);  // every rank names itself",
        ],
        advice: "Compute the root from a value that is the same on all processes." },
    rule! { "collective.operation", Error, Certain, "6.9.1", "Different reduction operations",
        meaning: "Processes pass different operations to one reduction.",
        example: [
            "MPI_Allreduce(&mine, &all, 1, MPI_INT, rank == 0 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);",
        ],
        advice: "Use the same operation on all processes." },
    rule! { "collective.datatype", Error, Certain, "6.1", "Different type signatures",
        meaning: "The data that one process contributes has other basic datatypes than another process expects.",
        example: [
            "if (rank == 0)",
            "    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);",
            "else",
            "    MPI_Bcast(&x, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);",
        ],
        advice: "Use datatypes with the same sequence of basic datatypes on all processes." },
    rule! { "collective.count", Error, Certain, "6.1", "Different amounts of data",
        meaning: "One process contributes more or less data than another process expects.",
        example: [
            "MPI_Bcast(data, rank == 0 ? 4 : 2, MPI_INT, 0, MPI_COMM_WORLD);",
        ],
        advice: "Use the same counts on all processes. In operations with a count for each process, make the counts of both sides agree." },
    rule! { "collective.in-place", Error, Certain, "6.2.1", "MPI_IN_PLACE on some processes only",
        meaning: "This operation allows MPI_IN_PLACE on all processes or on none.",
        example: [
            "MPI_Allreduce(rank == 0 ? MPI_IN_PLACE : &mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
        ],
        advice: "Pass MPI_IN_PLACE on all processes or on none." },
    rule! { "collective.argument", Error, Certain, "6.1", "Different arguments of a collective call",
        meaning: "Processes pass different values for an argument that must be the same on all of them.",
        example: [
            "int dims[1] = {size - rank}, periods[1] = {0};",
            "MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);",
        ],
        advice: "Compute the argument from a value that is the same on all processes." },
    rule! { "collective.missing", Error, Certain, "6.13", "Collective operation is not called by all processes",
        meaning: "Some processes of a communicator called an operation that others never will: they have ended or are in MPI_Finalize.",
        example: [
            "if (rank != 0)",
            "    MPI_Barrier(MPI_COMM_WORLD);",
            "MPI_Finalize();",
        ],
        advice: "Make all processes of the communicator call it. Look for an early return on the ranks that are missing." },
    rule! { "collective.group-roles", Error, Certain, "6.2.3", "Wrong roots in an intercommunicator",
        meaning: "In a rooted operation on an intercommunicator the root passes MPI_ROOT, the other processes of its group pass MPI_PROC_NULL, \
            and all processes of the remote group pass the root's rank.",
        example: [
            "if (in_first_group)",
            "    MPI_Bcast(data, n, MPI_INT, MPI_ROOT, inter);  // every rank of the group, not only the root",
            "else",
            "    MPI_Bcast(data, n, MPI_INT, 0, inter);",
        ],
        advice: "Pass MPI_ROOT at the root, MPI_PROC_NULL at the other processes of its group, and the root's rank in the remote group." },
    // {text}: the operation of the other thread.
    rule! { process n::COLLECTIVE_CONCURRENT, "collective.concurrent", Error, Certain, "11.6.2", "Concurrent collective operations on one communicator",
        text: "A collective operation starts while another thread of the process is in one on the same communicator[ ({text})].",
        meaning: "Two threads call collective operations on one communicator at the same time, so their order may differ between processes.",
        example: [
            "#pragma omp parallel",
            "MPI_Barrier(MPI_COMM_WORLD);  // called by every thread",
        ],
        advice: "Give each thread its own communicator (MPI_Comm_dup), or let one thread make all collective calls." },
];
