//! Files: modes and split collective operations, which each process checks itself, and accesses of several processes.

use mpiscope_trace::check::rule as n;

use super::{Confidence, Rule, Severity, rule};

#[rustfmt::skip] // a table
pub(super) static RULES: &[Rule] = &[
    // {0}: the mode, {text}: what is missing.
    rule! { process n::FILE_MODE, "file.mode", Error, Certain, "14.2.1", "File access does not fit its mode",
        text: "The file was opened with mode {0}, which does not allow this access[: {text}].",
        meaning: "A file is written though it was opened for reading, read though it was opened for writing, or accessed with explicit offsets \
            though it was opened with MPI_MODE_SEQUENTIAL.",
        example: [
            "MPI_File_open(MPI_COMM_WORLD, \"out.dat\", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);",
            "MPI_File_write(file, data, n, MPI_INT, MPI_STATUS_IGNORE);",
        ],
        advice: "Open the file with MPI_MODE_RDWR or the mode that is needed." },
    // {text}: started twice, ended without a start, another kind, another buffer.
    rule! { process n::FILE_SPLIT, "file.split-collective", Error, Certain, "14.4.5", "Split collective operation out of order",
        text: "A split collective operation of this file is out of order[: {text}].",
        meaning: "A second …_begin comes before the …_end of the first, an …_end has no …_begin or belongs to another operation, or it has \
            another buffer.",
        example: [
            "MPI_File_write_all_begin(file, first, n, MPI_INT);",
            "MPI_File_write_all_begin(file, second, n, MPI_INT);  // no MPI_File_write_all_end in between",
        ],
        advice: "Only one split collective operation may be pending on a file. End it with the matching call." },
    rule! { process n::FILE_DELETED, "file.deleted-open", Warning, Certain, "14.2.3", "Open file is deleted",
        text: "The file is open in this process: whether it is deleted, and what later accesses to it do, depends on the MPI library[ ({text})].",
        meaning: "MPI_File_delete is called for a file that this process has open.",
        example: [
            "MPI_File_open(MPI_COMM_SELF, \"tmp.dat\", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);",
            "MPI_File_delete(\"tmp.dat\", MPI_INFO_NULL);  // before MPI_File_close",
        ],
        advice: "Close the file on all processes before MPI_File_delete, or open it with MPI_MODE_DELETE_ON_CLOSE." },
    rule! { "file.shared-view", Error, Certain, "14.4.4", "Shared file pointer with different views",
        meaning: "Processes use the shared pointer of a file while their views of the file differ. All of them must have the same view.",
        example: [
            "MPI_File_set_view(file, rank * 100, MPI_INT, MPI_INT, \"native\", MPI_INFO_NULL);",
            "MPI_File_write_shared(file, data, n, MPI_INT, MPI_STATUS_IGNORE);",
        ],
        advice: "Set the same view on all processes, or use explicit offsets or individual file pointers." },
    rule! { "io.overlap", Error, Possible, "14.6.1", "Overlapping writes to a file",
        meaning: "Two processes write the same bytes of a file and nothing orders them: the contents of the file are undefined.",
        example: [
            "MPI_File_write_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);  // all ranks at offset 0",
        ],
        advice: "Let processes write different parts, or separate the writes by MPI_File_sync, a barrier and MPI_File_sync." },
    rule! { "io.overlap-read", Error, Possible, "14.6.1", "File is read while another process writes it",
        meaning: "One process reads bytes of a file that another process writes, and nothing orders them.",
        example: [
            "if (rank == 0) MPI_File_write_at(file, 0, data, n, MPI_INT, MPI_STATUS_IGNORE);",
            "if (rank == 1) MPI_File_read_at(file, 0, data, n, MPI_INT, MPI_STATUS_IGNORE);",
        ],
        advice: "Separate the write and the read by MPI_File_sync, a barrier and MPI_File_sync." },
];
