"""Another tool between mpiscope and the MPI: it sees what it would see alone, and what it does itself is not the program's."""

import pytest
from harness import HERE, run

COUNTS = {"MPI_Init": 2, "MPI_Barrier": 6, "MPI_Allreduce": 10, "MPI_Finalize": 2}


@pytest.fixture
def tool(mpi, work):
    """Builds the tool under a name of its own."""

    def build(name, *flags):
        library = work / f"lib{name}.so"
        mpi.compile("tool.c", library, "-shared", "-fPIC", *flags)
        return library

    return build


def output(done):
    return sorted(line for line in done.err.splitlines() if line.startswith("tool: "))


def preloaded(mpi, path, program, libraries):
    """mpiscope typed where tools are preloaded already."""
    path.mkdir()
    return mpi.record(2, program, cwd=path, env={"LD_PRELOAD": str(libraries)}).ok()


def test_a_preloaded_tool_sees_what_it_sees_alone(mpi, work, tool):
    program = mpi.compile("watched.c", work / "watched")
    library = tool("tool")
    alone = mpi.bare(2, "env", f"LD_PRELOAD={library}", program, cwd=work).ok()
    assert output(alone) == ["tool: 3 barriers, 5 reductions, 0 from Fortran, asked 5 times"] * 2, str(alone)
    recording = preloaded(mpi, work / "front", program, library)
    assert output(recording.done) == output(alone), str(recording.done)
    assert recording.counts() == COUNTS


def test_tools_in_the_order_of_the_list(mpi, work, tool):
    program = mpi.compile("watched.c", work / "watched")
    first, second = tool("first", "-DBARRIER_ONLY"), tool("second")
    # The first hands barriers on to the MPI, past the second, as it does alone.
    recording = preloaded(mpi, work / "a", program, f"{first}:{second}")
    wanted = ["tool: 0 barriers, 5 reductions, 0 from Fortran, asked 5 times"] * 2
    wanted += ["tool: 3 barriers, 0 reductions, 0 from Fortran, asked 0 times"] * 2
    assert output(recording.done) == wanted, str(recording.done)
    assert recording.counts() == COUNTS


def test_a_linked_tool(mpi, work, tool):
    library = tool("linked")
    program = mpi.compile("watched.c", work / "watched", f"-L{work}", "-Wl,--no-as-needed", "-llinked", f"-Wl,-rpath,{work}")
    recording = mpi.record(2, program, cwd=work).ok()
    assert output(recording.done) == ["tool: 3 barriers, 5 reductions, 0 from Fortran, asked 5 times"] * 2, str(recording.done)
    assert recording.counts() == COUNTS


def test_a_tool_that_wraps_fortran(mpi, work, tool):
    program = work / "watched"
    run([mpi.compiler.replace("mpicc", "mpif90"), "-J", work, HERE / "programs/watched.f90", "-o", program]).ok()
    library = tool("tool")
    alone = mpi.bare(2, "env", f"LD_PRELOAD={library}", program, cwd=work).ok()
    recording = preloaded(mpi, work / "front", program, library)
    assert output(recording.done) == output(alone) != [], f"{alone}\n{recording.done}"
    assert "3 from Fortran" in output(alone)[0]
    assert recording.counts() == COUNTS
