"""mpiscope check: buffers against what the program declares, where it has debug information."""

import pytest

from checked_program import findings
from harness import MPISCOPE, run

PROGRAM = """
#include <mpi.h>
static int steps;
static int behind[8];
int main(int argc, char **argv)
{
    int rank;
    int count = 3;
    double there[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&count, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&steps, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(there, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(there, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return behind[rank];
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_name_type_and_line_of_a_variable_are_told(mpi, work, level):
    (work / "program.c").write_text(PROGRAM)
    mpi.compile(work / "program.c", work / "program", "-g", level)
    done = run([MPISCOPE, "check", "-n", "2", "--force", "./program"], cwd=work, env=mpi.env)
    assert done.code == 10, done.err
    found = {finding["id"]: finding for finding in findings(work)}
    short, wrong_type = found["argument.variable-short"], found["argument.variable-type"]
    assert "`steps` is an int (program.c:3), but the call sends 2 MPI_INT (8 bytes) from it" in short["text"]
    assert "`count` is an int (program.c:8), but the call sends 1 MPI_DOUBLE (8 bytes) from it" in wrong_type["text"]
    # Where a compiler optimises, something without a name may have a variable's place on the stack.
    sure = "certain" if level == "-O0" else "possible"
    assert (short["confidence"], wrong_type["confidence"]) == ("certain", sure)
    assert (short["parties"][0]["line"], wrong_type["parties"][0]["line"]) == (14, 13)


def test_without_debug_information_nothing_is_said(mpi, work):
    (work / "program.c").write_text(PROGRAM)
    mpi.compile(work / "program.c", work / "program", "-g0", "-O0")
    done = run([MPISCOPE, "check", "-n", "2", "--force", "./program"], cwd=work, env=mpi.env)
    assert not any("variable" in finding["id"] for finding in findings(work)), done.err
