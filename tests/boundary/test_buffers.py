"""Buffers in flight: receives that land elsewhere first come to where they belong, whatever completes them."""

import platform

from checked_program import build, findings
from harness import HERE, MPISCOPE, run

FREED = """
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, values[200], there = 0;
    volatile int *last = &values[199];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(values, 0, sizeof values);
    if (rank == 0) {
        MPI_Irecv(values, 200, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        if (request != MPI_REQUEST_NULL)
            MPI_Abort(MPI_COMM_WORLD, 3);
        double begun = MPI_Wtime();
        while (*last == 0 && MPI_Wtime() - begun < 20)
            MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        puts(values[0] == 5 && *last == 6 ? "right" : "wrong");
    } else {
        values[0] = 5, values[199] = 6;
        MPI_Ssend(values, 200, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""

FAILED = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, in[8] = {0}, out[4] = {1, 2, 3, 4}, code;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Irecv(in, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in + 4, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Barrier(MPI_COMM_WORLD);
        code = MPI_Waitall(2, requests, statuses);
        if (requests[1] != MPI_REQUEST_NULL)
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        puts(code != MPI_SUCCESS && in[4] == 1 && in[7] == 4 && in[2] == 0 ? "right" : "wrong");
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(out, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(out, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""

WRITTEN = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, count = 5000, values[5000] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(values, count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        values[1234] = 1;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(values, count, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        values[3] = 9;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_get_status(request, &rank, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
"""


def check(mpi, work, *options):
    return run([MPISCOPE, "check", "-n", "2", "--force", *options, "./program"], cwd=work, env=mpi.env)


def test_every_way_to_receive_and_to_complete(mpi, work):
    build(mpi, work, (HERE / "programs/buffers_right.c").read_text())
    for options in ((), ("--check-bytes=0",), ("--check-bytes=64K",)):
        done = check(mpi, work, *options)
        assert done.out == "right\n", done.err
        assert not [f for f in findings(work) if f["id"].startswith("buffer.")], done.err


def test_a_receive_whose_request_is_freed(mpi, work):
    build(mpi, work, FREED)
    done = check(mpi, work)
    assert "request.freed-active" in [f["id"] for f in findings(work)]
    assert (done.code, done.out) == (10, "right\n"), done.err


def test_a_wait_that_fails_for_another_receive(mpi, work):
    build(mpi, work, FAILED)
    assert mpi.bare(2, "./program", cwd=work).out == "right\n"
    done = check(mpi, work)
    assert "message.truncated" in " ".join(f["id"] for f in findings(work)), done.err
    assert (done.code, done.out) == (10, "right\n"), done.err


def test_where_a_buffer_was_changed(mpi, work):
    build(mpi, work, WRITTEN)
    done = check(mpi, work)
    assert done.code == 10, done.err
    found = {f["id"]: f for f in findings(work)}
    assert set(found) == {"buffer.send-written", "buffer.receive-written"}, found
    assert "from byte 4096 on" in done.err and "from byte 0 on" in done.err
    lines = sorted(party["line"] for party in found["buffer.send-written"]["parties"])
    # The store was seen ahead, where code is read.
    assert lines == ([10, 11, 13] if platform.machine() == "x86_64" else [10, 13])
    assert check(mpi, work, "--check-bytes=0").code == 0
