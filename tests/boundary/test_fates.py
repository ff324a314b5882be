"""Programs that end badly: their exit status stays, the run opens, the report names it."""

import contextlib
import json
import os
import re
import signal
import subprocess

import pytest
from harness import LIMIT_S, MPISCOPE, Done, Recording, environment, run, until

AFTER = 40
RANKS = 2
# How crash.c ends, and what the report says of the rank that did it (rank 1).
WAYS = {
    "segv": ("killed", "killed by SIGSEGV"),
    "abort": ("killed", "killed by SIGABRT"),
    "kill": ("killed", "killed by SIGKILL"),
    "exit": ("exited", "exited with code 3 without MPI_Finalize"),
    "_exit": ("exited", "exited with code 3 without MPI_Finalize"),
    "return": ("exited", "exited with code 3 without MPI_Finalize"),
    "mpiabort": ("aborted", "called MPI_Abort with code 3"),
    "none": ("finalized", None),
}
# MPICH's launcher kills all local processes as soon as one rank's connection to it closes, and
# ends with the wait statuses of all of them or-ed together, as far as it has reaped them by
# then (1 if it lost its own helper first). Without mpiscope the culprit's comes in alone nearly
# always, but SIGKILL's or SIGTERM's alone do occur; any process between launcher and program
# (`sh -c` as well) makes it a race, in which SIGKILL's bits may come in, too. ^C is a race even
# without. So what the culprit itself ended with is named here and not taken from the bare run.
RACING = {
    "abort": {signal.SIGABRT},
    "exit": {3},
    "_exit": {3},
    "return": {3},
    "hang": {0, signal.SIGINT},
}


def same_code(mpi, how, recorded, bare):
    if mpi.name != "mpich" or how not in RACING:
        return recorded.code == bare.code
    ends = {1, signal.SIGKILL, signal.SIGTERM}
    may = {code | extra for code in RACING[how] for extra in (0, signal.SIGKILL)} | ends
    return recorded.code in may


@pytest.mark.parametrize("under", ["run", "exec"])
@pytest.mark.parametrize("how", WAYS)
def test_bad_ends(mpi, work, how, under):
    command = [mpi.example("crash"), "--how", how, "--after", AFTER]
    bare = mpi.bare(RANKS, *command, cwd=work)
    record = mpi.record if under == "run" else mpi.record_under_launcher
    recording = record(RANKS, *command, cwd=work)
    assert same_code(mpi, how, recording.done, bare), f"{recording.done}\n{bare}"
    recording.settled()
    kind, words = WAYS[how]
    fates = recording.fates()
    assert fates[1]["kind"] == kind, f"{fates}\n{recording.done}"
    page = recording.page()
    if words:
        assert f"rank 1: {words}" in page
    else:
        assert "HOW IT ENDED" not in page
    # The culprit's calls are all there. The other rank was ended by the launcher, at most a few
    # messages behind.
    assert recording.counts(ranks=1)["MPI_Sendrecv"] == AFTER
    assert AFTER - RANKS <= recording.counts(ranks=0)["MPI_Sendrecv"] <= AFTER


def start(command, cwd, env):
    return subprocess.Popen(
        [str(word) for word in command],
        cwd=cwd,
        env=environment(**env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def interrupt(process):
    """^C: the terminal sends SIGINT to the whole foreground group."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Done(process.args, process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


def in_flight(recording):
    done = run([MPISCOPE, "report", recording.path, "--json"])
    if done.code == 2:
        return None
    ranks = {rank["rank"]: rank for rank in json.loads(done.out)["ranks"]}
    return {rank: [call["call"] for call in row["in_flight"]] for rank, row in ranks.items()}


HANGS = {0: ["MPI_Barrier"], 1: ["MPI_Recv"]}


def test_a_hang_shows_where_everybody_is_and_ends_with_ctrl_c(mpi, work):
    command = [mpi.example("crash"), "--how", "hang", "--after", AFTER]
    path = work / "hang.mpiscope"
    words = [MPISCOPE, "run", "-n", RANKS, "-o", path, "--", *command]
    recording = Recording(path, Done([], 0, "", ""))
    process = start(words, work, mpi.env)
    try:
        # While it hangs.
        until(lambda: in_flight(recording) == HANGS, "both ranks in the calls that never return")
        assert "still running" in recording.page()
        recorded = interrupt(process)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    # And afterwards.
    recording.settled()
    assert in_flight(recording) == HANGS, str(recorded)
    page = recording.page()
    assert "MPI_Recv(peer 0, tag 8, MPI_COMM_WORLD)" in page, page
    assert "MPI_Barrier(" in page
    counts = recording.counts()
    assert counts["MPI_Sendrecv"] == RANKS * AFTER

    process = start([*mpi.launcher, "-n", RANKS, *command], work, mpi.env)
    line = b""
    while b"hang after" not in line:
        line = process.stderr.readline()
        assert line or process.poll() is None
    bare = interrupt(process)
    assert same_code(mpi, "hang", recorded, bare), f"{recorded}\n{bare}"


def test_a_rank_killed_from_outside_with_its_supervisor(openmpi, work):
    """SIGKILL to a program and to the `mpiscope exec` above it: nobody is left to write down
    how it ended, and the recording is still there."""
    path = work / "killed.mpiscope"
    command = [openmpi.example("crash"), "--how", "hang", "--after", AFTER]
    process = start([MPISCOPE, "run", "-n", RANKS, "-o", path, "--", *command], work, openmpi.env)
    recording = Recording(path, Done([], 0, "", ""))
    try:
        until(lambda: in_flight(recording) == HANGS, "both ranks in the calls that never return")
    finally:
        for pid in _group(process.pid):
            with contextlib.suppress(ProcessLookupError):  # it died with one killed before
                os.kill(pid, signal.SIGKILL)
        process.communicate()
    recording.settled()
    assert recording.counts()["MPI_Sendrecv"] == RANKS * AFTER
    assert in_flight(recording) == HANGS


def _group(session):
    """Processes of a session."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.getsid(int(entry)) == session:
                    found.append(int(entry))
            except OSError:
                pass
    # Children first would let their parents see it.
    return sorted(found)


def test_finalized_and_then_failed(mpi, work):
    program = mpi.compile("reexec.c", work / "program")
    bare = mpi.bare(RANKS, program, "late", cwd=work)
    recording = mpi.record(RANKS, program, "late", cwd=work)
    assert recording.done.code == bare.code == 7
    page = recording.page()
    # Where one of them exits first, the launcher may end the other before it exits itself.
    if "ranks 0-1: finalized, then exited with code 7" not in page:
        assert re.search(r"rank [01]: finalized, then exited with code 7", page), page
        assert re.search(r"rank [01]: finalized, then killed by SIGTERM", page), page
        assert "(1 of 2 failed ranks: finalized, then exited with code 7)" in page, page
    assert recording.counts()["MPI_Barrier"] == 5 * RANKS


def test_ended_by_the_launcher(openmpi, work):
    program = openmpi.compile("reexec.c", work / "program")
    page = openmpi.record(RANKS, program, "late", "60", cwd=work).page()
    assert "rank 0: finalized, then killed by SIGTERM" in page
    assert "(1 of 2 failed ranks: finalized, then exited with code 7)" in page
