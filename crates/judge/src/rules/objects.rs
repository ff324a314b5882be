//! Objects that the program creates and has to free: each process checks its own.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    // {text}: the call that created it.
    rule! { process n::COMM_LEAK, "leak.communicator", Warning, Certain, "7.4.3", "Communicator is never freed",
        text: "The communicator[ {text}] still exists at MPI_Finalize.",
        meaning: "A communicator that the program created is not freed. Many of them exhaust the library's context ids.",
        example: [
            "MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);",
            "MPI_Finalize();  // no MPI_Comm_free(&half)",
        ],
        advice: "Call MPI_Comm_free." },
    rule! { process n::GROUP_LEAK, "leak.group", Warning, Certain, "7.3.3", "Group is never freed",
        text: "The group still exists at MPI_Finalize[ ({text})].",
        meaning: "A group that the program created is not freed.",
        example: [
            "MPI_Comm_group(MPI_COMM_WORLD, &group);",
            "MPI_Finalize();  // no MPI_Group_free(&group)",
        ],
        advice: "Call MPI_Group_free." },
    // {text}: the call that created it.
    rule! { process n::TYPE_LEAK, "leak.datatype", Warning, Certain, "5.1.9", "Datatype is never freed",
        text: "The datatype[ {text}] still exists at MPI_Finalize.",
        meaning: "A derived datatype is not freed. Intermediate datatypes from which others are built count as well.",
        example: [
            "MPI_Type_contiguous(3, MPI_DOUBLE, &point);",
            "MPI_Type_commit(&point);",
            "MPI_Finalize();  // no MPI_Type_free(&point)",
        ],
        advice: "Call MPI_Type_free." },
    rule! { process n::OP_LEAK, "leak.operation", Warning, Certain, "6.9.5", "Reduction operation is never freed",
        text: "The reduction operation still exists at MPI_Finalize[ ({text})].",
        meaning: "An operation from MPI_Op_create is not freed.",
        example: [
            "MPI_Op_create(add, 1, &op);",
            "MPI_Finalize();  // no MPI_Op_free(&op)",
        ],
        advice: "Call MPI_Op_free." },
    // {text}: the call that created it.
    rule! { process n::WINDOW_LEAK, "leak.window", Error, Certain, "12.2.5", "Window is never freed",
        text: "The window[ {text}] still exists at MPI_Finalize.",
        meaning: "A window is not freed. MPI_Win_free is collective and required before MPI_Finalize.",
        example: [
            "MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);",
            "MPI_Finalize();  // no MPI_Win_free(&window)",
        ],
        advice: "Call MPI_Win_free on all processes of the window." },
    // {text}: the call that created it.
    rule! { process n::FILE_LEAK, "leak.file", Error, Certain, "14.2.2", "File is never closed",
        text: "The file[ {text}] is still open at MPI_Finalize.",
        meaning: "A file is not closed. Data that was written may still be in the library's buffers.",
        example: [
            "MPI_File_write(file, data, n, MPI_INT, MPI_STATUS_IGNORE);",
            "MPI_Finalize();  // no MPI_File_close(&file)",
        ],
        advice: "Call MPI_File_close on all processes of the file before MPI_Finalize: data may not have been written." },
    rule! { process n::INFO_LEAK, "leak.info", Warning, Certain, "10", "Info object is never freed",
        text: "The info object still exists at MPI_Finalize[ ({text})].",
        meaning: "An info object is not freed. MPI copies the hints, so it can be freed right after the call that takes it.",
        example: [
            "MPI_Info_create(&info);",
            "MPI_Info_set(info, \"cb_nodes\", \"4\");",
            "MPI_Finalize();  // no MPI_Info_free(&info)",
        ],
        advice: "Call MPI_Info_free." },
    rule! { process n::ERRHANDLER_LEAK, "leak.error-handler", Warning, Certain, "9.3.4", "Error handler is never freed",
        text: "The error handler still exists at MPI_Finalize[ ({text})].",
        meaning: "An error handler that the program created is not freed. It can be freed as soon as it is attached.",
        example: [
            "MPI_Comm_create_errhandler(on_error, &handler);",
            "MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);",
            "MPI_Finalize();  // no MPI_Errhandler_free(&handler)",
        ],
        advice: "Call MPI_Errhandler_free." },
    rule! { process n::SESSION_LEAK, "leak.session", Error, Certain, "11.3.1", "Session is never finalised",
        text: "The session still exists when the process ends[ ({text})].",
        meaning: "A session is not finalised before the process ends.",
        example: [
            "MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);",
            "return 0;  // no MPI_Session_finalize(&session)",
        ],
        advice: "Call MPI_Session_finalize." },
    rule! { process n::KEYVAL_LEAK, "leak.attribute-key", Warning, Certain, "7.7.2", "Attribute key is never freed",
        text: "The attribute key still exists at MPI_Finalize[ ({text})].",
        meaning: "An attribute key that the program created is not freed.",
        example: [
            "MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);",
            "MPI_Finalize();  // no MPI_Comm_free_keyval(&key)",
        ],
        advice: "Call MPI_Comm_free_keyval (MPI_Win_free_keyval, MPI_Type_free_keyval)." },
    rule! { process n::PERSISTENT_LEAK, "leak.request", Warning, Certain, "3.9", "Persistent request is never freed",
        text: "The persistent request still exists at MPI_Finalize[ ({text})].",
        meaning: "A persistent request is complete but not freed. Completion makes it inactive and keeps it.",
        example: [
            "MPI_Send_init(data, n, MPI_INT, to, 0, MPI_COMM_WORLD, &request);",
            "MPI_Start(&request);",
            "MPI_Wait(&request, MPI_STATUS_IGNORE);",
            "MPI_Finalize();  // no MPI_Request_free(&request)",
        ],
        advice: "Call MPI_Request_free." },
    // {text}: why: already freed, predefined.
    rule! { process n::FREED, "object.freed", Error, Certain, "2.5.1", "Object is freed twice, or may not be freed",
        text: "The object cannot be freed[: {text}].",
        meaning: "The program frees an object again through a copy of its handle, or frees a predefined object.",
        example: [
            "MPI_Comm copy = comm;",
            "MPI_Comm_free(&comm);",
            "MPI_Comm_free(&copy);",
        ],
        advice: "Free every object that the program creates once, and no predefined object." },
];
