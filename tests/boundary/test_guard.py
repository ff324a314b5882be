"""Guarded buffers in flight: right programs run to the same result, and faults of the program stay its own."""

import re

import pytest
from checked_program import build, findings
from harness import HERE, MPISCOPE, run

# A handler of the program's own, in force before the first guarded operation (1), between two (2), and both.
HANDLER = """
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { COUNT = 100000 };
static char *own;
static sigjmp_buf back;
static int opened, left;
static struct sigaction before;
static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if ((char *)info->si_addr == own) {
        opened++;
        mprotect(own, 4096, PROT_READ | PROT_WRITE);
        return;
    }
    left++;
    siglongjmp(back, 1);
}
static void install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before);
}
static void faults(void)
{
    for (int i = 0; i < 3; i++) {
        mprotect(own, 4096, PROT_NONE);
        *(volatile char *)own = 1;
        if (!sigsetjmp(back, 1))
            *(volatile int *)8 = 1;
    }
}
int main(int argc, char **argv)
{
    int rank, when = atoi(argv[1]), sum = 0;
    int *out = calloc(COUNT, sizeof *out), *in = calloc(COUNT, sizeof *in);
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (when & 1)
        install();
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < COUNT; i++)
            out[i] = step + rank;
        MPI_Irecv(in, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        if (when & 1 || (when & 2 && step > 0))
            faults();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < COUNT; i++)
            sum += in[i];
        if (when & 2 && step == 0)
            install();
    }
    MPI_Finalize();
    int times = when & 1 ? 9 : 6;
    puts(sum == COUNT * (3 + 3 * (1 - rank)) && opened == times && left == times ? "right" : "wrong");
    return 0;
}
"""

# Dies of itself while a buffer is guarded.
DIES = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int *in = calloc(100000, sizeof *in);
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Irecv(in, 100000, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &request);
    *(volatile int *)8 = 1;
    MPI_Finalize();
    return 0;
}
"""

# Does everything that may not be done, and goes on; ends with what a bare run ends with.
WRONG = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { COUNT = 50000 };
int main(int argc, char **argv)
{
    int rank, *in, *out, sum = 0;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 20; step++) {
        in = calloc(COUNT, sizeof *in), out = calloc(COUNT, sizeof *out);
        MPI_Irecv(in, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Issend(out, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        sum += in[COUNT / 2];
        memset(in, 0, COUNT * sizeof *in);
        for (int i = 0; i < COUNT; i++)
            out[i]++;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        free(in), free(out);
    }
    MPI_Finalize();
    puts(sum == 0 ? "ended" : "other");
    return 0;
}
"""


def check(mpi, work, *words, ranks=2):
    command = [MPISCOPE, "check", "-n", ranks, "--force", "--guard", "./program", *words]
    return run(command, cwd=work, env=mpi.env)


def test_every_way_to_receive_and_to_complete(mpi, work):
    build(mpi, work, (HERE / "programs/buffers_right.c").read_text())
    done = check(mpi, work)
    assert done.out == "right\n", done.err
    assert not [f for f in findings(work) if f["id"].startswith("buffer.")], done.err


@pytest.mark.parametrize("when", [1, 2, 3], ids=["before", "between", "both"])
def test_a_program_with_a_handler_of_its_own(mpi, work, when):
    build(mpi, work, HANDLER)
    done = check(mpi, work, when)
    assert (done.code, done.out.count("right")) == (0, 2), done.err
    assert not findings(work)


def test_a_fault_of_the_program_ends_it(mpi, work):
    build(mpi, work, DIES)
    bare = run([*mpi.launcher, "-n", 1, "./program"], cwd=work, env=mpi.env)
    done = check(mpi, work, ranks=1)
    assert bare.code != 0 and done.code == bare.code, done.err


def test_a_wrong_program_goes_on(mpi, work):
    build(mpi, work, WRONG)
    done = check(mpi, work)
    # Lines of two ranks may mix.
    assert (done.code, done.out.count("ended"), "other" in done.out) == (10, 2, False), done.err
    lines = (work / "program.c").read_text().splitlines()

    def touching(id):
        found = [f["parties"][0] for f in findings(work) if f["id"] == id]
        return {lines[p["line"] - 1].strip() for p in found if p["line"]}

    assert "sum += in[COUNT / 2];" in touching("buffer.receive-read")
    assert "out[i]++;" in touching("buffer.send-written")
    # With what was in it: nothing has changed, and still it was written.
    assert "memset(in, 0, COUNT * sizeof *in);" in touching("buffer.receive-written")
    assert re.search(r"rank \d: the process, reads, at \S*program\.c:\d+ in main", done.err)
