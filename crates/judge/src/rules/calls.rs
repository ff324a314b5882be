//! Initialisation, threads, the end of a process, and error codes: each process checks its own.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    // {text}: "before MPI_Init" or "after MPI_Finalize".
    rule! { process n::OUTSIDE, "life.outside", Error, Certain, "11.4.1", "MPI called before MPI_Init or after MPI_Finalize",
        text: "MPI is called[ {text}].",
        meaning: "Only a few functions, such as MPI_Initialized and MPI_Get_version, may be called before MPI is initialised or after it is \
            finalised.",
        example: [
            "MPI_Comm_rank(MPI_COMM_WORLD, &rank);",
            "MPI_Init(&argc, &argv);",
        ],
        advice: "Move the call between MPI_Init and MPI_Finalize. Destructors of global objects run after MPI_Finalize." },
    rule! { process n::INIT_TWICE, "life.init-twice", Error, Certain, "11.2.1", "MPI is initialised twice",
        text: "MPI_Init or MPI_Init_thread is called for the second time[ ({text})].",
        meaning: "A process may call MPI_Init or MPI_Init_thread only once, even after MPI_Finalize. It often happens when both a program and \
            a library initialise MPI.",
        example: [
            "MPI_Init(&argc, &argv);",
            "library_setup();  // calls MPI_Init as well",
        ],
        advice: "Call MPI_Initialized first." },
    // {text}: how: a signal, an exit code; and what the MPI library printed, if anything.
    rule! { process n::DIED, "life.died", Error, Possible, "9.3", "Process ended inside an MPI call",
        text: "The process ended inside this call: {text}; no earlier finding explains it.",
        meaning: "The process was killed by a signal or exited while it was in an MPI call, and no other finding gives the reason. The MPI \
            library may have reported a fatal error, or the memory was corrupted before.",
        example: [
            "double *data = malloc(n);  // too small: the loop overwrites other memory",
            "for (int i = 0; i < n; i++) data[i] = 0;",
            "MPI_Allreduce(mine, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // crashes here",
        ],
        advice: "Read what the MPI library or the system printed. Look for an invalid argument, or for memory that was overwritten before." },
    // {text}: how it ended.
    rule! { process n::NO_FINALIZE, "life.no-finalize", Error, Certain, "11.2.2", "Process ends without MPI_Finalize",
        text: "The process ends without MPI_Finalize[ ({text})].",
        meaning: "A process that has initialised MPI returns or exits without MPI_Finalize and without MPI_Abort. Other processes may wait for it.",
        example: [
            "if (input == NULL)",
            "    exit(0);  // neither MPI_Finalize nor MPI_Abort",
        ],
        advice: "Call MPI_Finalize on every path that ends the program, or MPI_Abort where the program gives up." },
    // {0}: how many threads, {text}: by which call.
    rule! { process n::THREAD_SINGLE, "life.thread-single", Hint, Possible, "11.6", "Threads in a program that requested MPI_THREAD_SINGLE",
        text: "The program requested MPI_THREAD_SINGLE[ ({text})]. Threads of the program beside the one that called MPI_Init: {0}.",
        meaning: "MPI_Init and MPI_THREAD_SINGLE assert that the process has only one thread. A process with more threads needs at least \
            MPI_THREAD_FUNNELED, even if only one thread calls MPI.",
        example: [
            "MPI_Init(&argc, &argv);  // MPI_THREAD_SINGLE",
            "#pragma omp parallel for",
            "for (int i = 0; i < n; i++) work(i);",
        ],
        advice: "Call MPI_Init_thread with MPI_THREAD_FUNNELED if only the main thread calls MPI, with a higher level if others do." },
    // {0}: the requested level (0 single to 3 multiple), {1}: the granted one, {2}: the one that is needed, {text}: why.
    rule! { process n::THREAD_UNASKED, "life.thread-unasked", Hint, Certain, "11.6", "Program needs a higher thread level than it requests",
        text: "The program requested thread level {0} and was granted level {1}; this call needs level {2}[ ({text})].",
        meaning: "The MPI library granted a higher thread level than the program requested, and the program depends on it. Another MPI library \
            may grant only what was requested. Levels: 0 single, 1 funneled, 2 serialized, 3 multiple.",
        example: [
            "MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);  // some libraries provide MPI_THREAD_MULTIPLE",
            "#pragma omp parallel",
            "MPI_Send(&part, 1, MPI_INT, to, omp_get_thread_num(), MPI_COMM_WORLD);",
        ],
        advice: "Request from MPI_Init_thread the level that the program needs: other MPI libraries grant no more than that." },
    // {0}: the provided level (0 single to 3 multiple), {1} and {2}: threads, {text}: whether at the same time.
    rule! { process n::THREAD_LEVEL, "life.thread-level", Error, Certain, "11.6", "Thread level violated",
        text: "The thread level is {0}, and threads {1} and {2} call MPI[ ({text})].",
        meaning: "With MPI_THREAD_SINGLE and MPI_THREAD_FUNNELED only the thread that called MPI_Init may call MPI. With MPI_THREAD_SERIALIZED \
            threads may not call MPI at the same time. Levels: 0 single, 1 funneled, 2 serialized, 3 multiple.",
        example: [
            "MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);",
            "#pragma omp parallel",
            "MPI_Send(&part, 1, MPI_INT, to, omp_get_thread_num(), MPI_COMM_WORLD);  // all threads at once",
        ],
        advice: "Request the level that is needed from MPI_Init_thread, check the level that it provides, and restrict calls to what that \
            level allows." },
    // {0}: the code, {text}: what it means.
    rule! { process n::ERROR_IGNORED, "error.ignored", Warning, Possible, "9.3", "Error code is ignored",
        text: "The call failed with error code {0}, and the program does not check it[: {text}].",
        meaning: "An MPI call returned an error code instead of ending the program, and the program overwrites or drops the code before it reads it.",
        example: [
            "MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);",
            "MPI_Send(data, n, MPI_INT, to, 0, MPI_COMM_WORLD);  // the result is dropped",
        ],
        advice: "Check the return value, or keep the error handler MPI_ERRORS_ARE_FATAL." },
];
