"""Programs that hang and were recorded without `check`: the report says who waits for whom."""

import contextlib
import json
import os
import signal
import subprocess
import time

import pytest
from harness import MPISCOPE, Done, Recording, environment, run, until

# What each way to hang is: ranks, kind, certain, the ring, words of the page.
WAYS = {
    "ring": (3, "deadlock", True, [0, 1, 2], "in MPI_Recv from 1 (tag 7) for"),
    "barrier": (3, "deadlock", True, [0, 1], "ranks 0 and 2 in MPI_Barrier (rank 1 has not entered it) for"),
    "waitall": (2, "deadlock", True, [0, 1], "in MPI_Waitall for a message from 1 (tag 2) for"),
    "send": (2, "deadlock", False, [0, 1], "in MPI_Send to 1 (tag 3) for"),
    "missing": (2, "stuck", True, [], "in MPI_Recv from 1 (tag 9) for"),
    "computing": (2, "stuck", False, [], "rank 1 has been outside MPI since MPI_Allreduce"),
}


def start(mpi, work, how):
    program = mpi.compile("stuck.c", work / "stuck", "-g")
    path = work / "stuck.mpiscope"
    words = [MPISCOPE, "run", "-n", WAYS[how][0], "-o", path, "--", program, how]
    process = subprocess.Popen(
        [str(word) for word in words], cwd=work, env=environment(**mpi.env), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )
    return Recording(path, Done([], 0, "", "")), process


def end(process, how):
    """Signals all of the session: the launcher, the supervisors, the program."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def stuck(path, kind=None):
    """What the report says, once there is something to say; with `kind`, once it is that."""
    done = run([MPISCOPE, "report", path, "--json"])
    found = done.code != 2 and json.loads(done.out)["explanation"]["stuck"]
    return found if found and kind in (None, found["kind"]) else None


def check(found, how):
    _, kind, is_certain, ring, _ = WAYS[how]
    assert (found["kind"], found["is_certain"]) == (kind, is_certain), found
    assert [r["rank"] for r in found["ranks"] if r["in_ring"]] == ring, found


@pytest.mark.parametrize("how", WAYS)
def test_who_waits_for_whom(mpi, work, how):
    recording, process = start(mpi, work, how)
    try:
        # While it hangs. A standard send counts after a second, which one rank may reach before another.
        check(until(lambda: stuck(recording.path, WAYS[how][1]), "ranks that are stuck"), how)
        time.sleep(1)
        # SIGTERM is what `timeout` sends.
        end(process, {"ring": signal.SIGINT, "barrier": signal.SIGTERM}.get(how, signal.SIGINT))
    finally:
        end(process, signal.SIGKILL)
    recording.settled()
    report = json.loads(recording.report("--json").out)
    explanation = report["explanation"]
    check(explanation["stuck"], how)
    assert explanation["findings"][0]["id"] == WAYS[how][1]
    page = recording.page(code=recording.report().code)
    assert WAYS[how][4] in page and "VERDICT" in page, page
    assert "stuck.c:" in page
    # Ranks in calls that do not return wait; they do not compute.
    waiting = explanation["time"]["waiting_ns"]
    assert waiting >= 0.5 * sum(r["open_ns"] for r in explanation["stuck"]["ranks"]) > 0, explanation["time"]
    path = explanation["critical_path"]
    scope = explanation["scope"]
    assert path["length_ns"] <= scope["end_ns"] - scope["start_ns"], (path["length_ns"], scope)
    for key in ("parallel", "load_balance", "communication", "serialisation", "transfer"):
        value = explanation["efficiency"][key]
        assert value is None or 0 <= value <= 1, (key, value)


def test_a_snapshot_of_a_job_that_hangs(openmpi, work):
    recording, process = start(openmpi, work, "barrier")
    try:
        until(lambda: stuck(recording.path, "deadlock"), "ranks that are stuck")
        run([MPISCOPE, "ctl", recording.path, "snapshot", "--to", work / "now"]).ok()
        check(stuck(work / "now"), "barrier")
        page = Recording(work / "now", None).page()
        assert "deadlock ranks 0 and 2 in MPI_Barrier" in page and "← rank 1 in MPI_Recv from 0 (tag 5) for" in page, page
    finally:
        end(process, signal.SIGKILL)


def test_killed_with_its_supervisors(openmpi, work):
    """Nobody is left to write down when it ended: who waits for whom is known all the same."""
    recording, process = start(openmpi, work, "ring")
    try:
        until(lambda: stuck(recording.path, "deadlock"), "ranks that are stuck")
    finally:
        end(process, signal.SIGKILL)
    recording.settled()
    check(json.loads(recording.report("--json").out)["explanation"]["stuck"], "ring")
