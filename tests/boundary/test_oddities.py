"""Exceptions and jumps out of MPI calls, forks, MPI_Finalize at exit, callbacks, rarer functions, MPI in a plug-in."""

import glob

import pytest
from harness import HERE, differences, run, tally

CASES = ["throw", "longjmp", "fork", "exec", "callbacks", "io", "neighbours"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return tmp_path_factory.mktemp("oddities")


def compiled(mpi, programs):
    target = programs / mpi.name
    if not target.exists():
        source = HERE / "programs" / "oddities.cpp"
        # Without the C++ bindings of Open MPI 4, whose objects call MPI as well.
        run([mpi.compiler.replace("mpicc", "mpicxx"), "-O1", "-g", "-DOMPI_SKIP_MPICXX", source, "-o", target]).ok()
    return target


@pytest.mark.parametrize("case", CASES)
def test_the_program_and_its_tally(mpi, work, programs, case):
    words = [compiled(mpi, programs), work / "own", case]
    bare = mpi.bare(2, *words, cwd=work).ok()
    recording = mpi.record(2, *words, cwd=work).ok()
    assert recording.done.lines == bare.lines, recording.done
    wrong = differences(tally(work.glob("own.[0-9]*")), recording.counts())
    assert not wrong, "\n".join(wrong)
    assert all(fate["kind"] == "finalized" for fate in recording.fates().values())


def test_mpi_in_a_plug_in(mpi, work):
    """dlopen with RTLD_LOCAL; an option of mpiscope run names the MPI."""
    library = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[mpi.name]
    found = glob.glob(f"/usr/lib/*/{library}")
    if not found:
        pytest.skip(f"{library} is elsewhere")
    plugin = mpi.compile("ring.c", work / "libring.so", "-shared", "-fPIC", "-Dmain=ring_main")
    loader = work / "loader"
    run(["cc", "-g", HERE / "programs" / "loader.c", "-o", loader, "-ldl"]).ok()
    bare = mpi.bare(2, loader, plugin, 25, cwd=work).ok()
    recording = mpi.record(2, loader, plugin, 25, cwd=work, options=["--mpi", found[0]]).ok()
    assert recording.done.out == bare.out
    assert recording.counts()["MPI_Sendrecv"] == 50
