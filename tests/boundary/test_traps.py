"""What preloaded libraries are known to break."""

import sys

import pytest
from harness import LIBRARY, differences, run, tally, until

TOOLS = {
    "ls": ["ls", "-la", "/usr/include"],
    "ls-fails": ["ls", "/nonexistent"],
    "bash": ["bash", "-c", "echo out; echo err >&2; (exit 3); ls / | wc -l; exit 7"],
    "python": [sys.executable, "-c", "import ctypes, sys; print(sys.argv); sys.exit(5)", "word"],
    "python-signal": [sys.executable, "-c", "import os; os.kill(os.getpid(), 15)"],
    "env": ["env", "-u", "LD_PRELOAD", "-u", "MPISCOPE_OUT", "true"],
    "sort": ["sort", "/etc/passwd"],
}


@pytest.mark.parametrize("out", [False, True], ids=["off", "asked"])
@pytest.mark.parametrize("command", TOOLS.values(), ids=TOOLS.keys())
def test_processes_without_mpi_are_left_alone(work, command, out):
    inside = work / "empty"
    inside.mkdir()
    bare = run(command, cwd=inside)
    env = {"LD_PRELOAD": str(LIBRARY)}
    if out:
        env |= {"MPISCOPE_OUT": str(work / "run"), "MPISCOPE_SPOOL": str(work / "spool")}
    loaded = run(command, cwd=inside, env=env)
    assert (loaded.code, loaded.out, loaded.err) == (bare.code, bare.out, bare.err)
    assert [*work.iterdir()] == [inside] and not any(inside.iterdir())


@pytest.mark.parametrize("out", [False, True], ids=["off", "asked"])
def test_launchers_are_left_alone(mpi, work, out):
    env = {"LD_PRELOAD": str(LIBRARY)}
    if out:
        env |= {"MPISCOPE_OUT": str(work / "run"), "MPISCOPE_SPOOL": str(work / "spool")}
    for command in (
        [*mpi.launcher, "--version"],
        [*mpi.launcher, "-n", "2", "echo", "hello"],
        [*mpi.launcher, "-n", "1", "false"],
    ):
        bare = run(command, cwd=work)
        loaded = run(command, cwd=work, env=env)
        assert (loaded.code, loaded.out) == (bare.code, bare.out), str(loaded)
        assert "mpiscope" not in loaded.err, str(loaded)
        assert not any(work.iterdir())


@pytest.mark.parametrize("name", ["halo2d", "halo_f08", "weakref", "callmix"])
def test_preloaded_but_not_asked_to_record(mpi, work, name):
    """An LD_PRELOAD that somebody left behind, without MPISCOPE_OUT."""
    bare = mpi.bare(2, mpi.example(name), cwd=work)
    loaded = mpi.bare(2, mpi.example(name), cwd=work, env={"LD_PRELOAD": str(LIBRARY)})
    assert (loaded.code, loaded.lines) == (bare.code, bare.lines), str(loaded)
    assert "mpiscope" not in loaded.err
    assert not any(work.iterdir())


def test_a_directory_that_does_not_exist_does_not_harm(mpi, work):
    """LD_PRELOAD and MPISCOPE_OUT by hand, and nothing there to write to."""
    env = {"LD_PRELOAD": str(LIBRARY), "MPISCOPE_OUT": str(work / "nowhere" / "run")}
    bare = mpi.bare(2, mpi.example("halo2d"), "--iters", "5", cwd=work)
    loaded = mpi.bare(2, mpi.example("halo2d"), "--iters", "5", cwd=work, env=env)
    assert (loaded.code, loaded.out) == (bare.code, bare.out), str(loaded)
    assert not any(work.iterdir())


def test_addresses_of_absent_functions_stay_null(mpi, work):
    """weakref prints which functions newer than MPI 3.1 the library has, by weak reference."""
    bare = mpi.bare(2, mpi.example("weakref"), cwd=work).ok()
    recording = mpi.record(2, mpi.example("weakref"), cwd=work).ok()
    assert recording.done.out == bare.out
    expected = {"openmpi": "absent", "mpich": "present"}[mpi.name]
    assert f"MPI_Recv_c {expected}" in bare.out


def test_functions_of_mpi_4_taken_by_address_are_recorded_or_named(mpich, work):
    """A program may hold the address of a new function since before its first call. What is
    called past the recorder then is in the report by name."""
    recording = mpich.record(2, mpich.example("weakref"), cwd=work).ok()
    counts = recording.counts()
    unseen = {entry["name"] for entry in recording.json()["not_intercepted"]}
    for name in ("MPI_Recv_c", "MPI_Session_init", "MPI_Session_finalize"):
        assert counts.get(name) == 2 or name in unseen, f"{name} is neither counted nor named: {counts} {unseen}"


@pytest.mark.parametrize(
    "words",
    [["halo2d", "--iters", "10"], ["callmix", "--tally", "tally"], ["halo_f08"], ["solver3", "4"], ["copyreloc"]],
    ids=lambda words: words[0],
)
def test_everything_bound_at_the_start(mpi, work, words):
    """LD_BIND_NOW=1: every symbol is resolved before the MPI is known."""
    command = [mpi.example(words[0]), *words[1:]]
    env = {"LD_BIND_NOW": "1"}
    bare = mpi.bare(2, *command, cwd=work, env=env).ok()
    for old in work.glob("tally.*"):
        old.unlink()
    recording = mpi.record(2, *command, cwd=work, env=env).ok()
    assert recording.done.lines == bare.lines
    if words[0] == "callmix":
        expected = tally(work.glob("tally.*"))  # polls as often as it takes
    else:
        (work / "counted").mkdir()
        _, expected = mpi.count(2, *command, cwd=work / "counted")
    wrong = differences(expected, recording.counts())
    assert not wrong, "\n".join(wrong)


def test_copies_of_predefined_handles_are_known(mpi, work):
    """copyreloc: handles with two addresses. Wrong ones would give other sizes."""
    rows = mpi.record(2, mpi.example("copyreloc"), cwd=work).ok().rows()
    # Each rank: one double, one int, one double, one int, in this order.
    assert rows["MPI_Allreduce"].sent == 2 * (8 + 4 + 8 + 4)


def test_a_program_linked_with_mpi_that_never_calls_it(mpi, work):
    bare = mpi.bare(1, mpi.example("nompi"), "a", "b", cwd=work)
    recording = mpi.record(1, mpi.example("nompi"), "a", "b", cwd=work)
    assert (recording.done.code, recording.done.out) == (bare.code, bare.out)
    assert "nothing was recorded" in recording.done.err
    done = recording.report()
    assert done.code == 2 and "MPI" in done.err, str(done)


@pytest.mark.parametrize("under", ["run", "exec"])
@pytest.mark.parametrize("how", ["none", "segv", "kill"])
def test_nothing_stays_in_shared_memory(mpi, work, how, under):
    record = mpi.record if under == "run" else mpi.record_under_launcher
    recording = record(2, mpi.example("crash"), "--how", how, "--after", "3", cwd=work)
    assert recording.spools(), "no rank reported its buffers"

    def gone():
        recording.report()  # takes over what supervisors that were killed have left
        return not any(spool.exists() for spool in recording.spools())

    # A launcher that kills does not wait until everybody is dead.
    until(gone, "taken over from shared memory")
