"""Processes that MPI starts, and worlds that meet: recorded each in its own world."""

import json

import pytest
from harness import differences, tally
from test_wheels import wheel  # noqa: F401 (a fixture)



def counts(recording, world):
    done = recording.report("--json", "--world", str(world))
    assert done.code == 0, f"{done}\n{recording.done}"
    return {row["call"]: row["calls"] for row in json.loads(done.out)["calls"]}


def ended(start):
    """
    What ends well; once more where Open MPI 4.1 sometimes hangs in MPI_Comm_spawn_multiple, or its own lookup times out there.
    Both happen without mpiscope as well.
    """
    try:
        return start().ok()
    except AssertionError as error:
        if not str(error).startswith("no end") and "A request has timed out" not in str(error):
            raise
        return start().ok()


def check(mpi, work, cases, worlds, ranks=2):
    """The program's own tally of each world against the report of that world."""
    program = mpi.compile("worlds.c", work / "worlds")
    bare = ended(lambda: mpi.bare(ranks, program, work / "bare", *cases, cwd=work))
    recording = ended(lambda: mpi.record(ranks, program, work / "own", *cases, cwd=work, options=["--force"]))
    assert recording.done.lines == bare.lines, f"{recording.done}\n{bare}"
    assert "mpiscope: cannot" not in recording.done.err
    found = recording.json()["overview"]["worlds"]
    assert [(w["world"], w["spawned"], w["ranks"], w["size"]) for w in found] == worlds, found
    for world, *_ in worlds:
        wrong = differences(tally(work.glob(f"own.{world}.*")), counts(recording, world))
        assert not wrong, f"world {world}: " + "\n".join(wrong)
    return recording


@pytest.mark.heavy
def test_spawned_processes_are_worlds_of_their_own(openmpi, work):
    worlds = [(0, False, 2, 2), (1, True, 2, 2), (2, True, 2, 2), (3, True, 3, 3)]
    recording = check(openmpi, work, ["spawn", "multiple"], worlds)
    page = recording.page()
    assert "0 (this report)" in page and "--world 3 (3 ranks of" in page
    assert {r["rank"]: r["fate"]["kind"] for r in recording.json()["ranks"]} == {0: "finalized", 1: "finalized"}
    done = recording.report("--world", "4")
    assert done.code == 2 and "worlds 0 to 3" in done.err, str(done)


@pytest.mark.heavy
def test_spawn_of_the_wheels(wheel, work):  # noqa: F811
    worlds = [(0, False, 1, 1), (1, True, 2, 2), (2, True, 2, 2), (3, True, 3, 3)]
    check(wheel, work, ["spawn", "multiple"], worlds, ranks=1)


@pytest.mark.heavy
def test_strangers_by_a_port(openmpi, work):
    # Neither Debian's MPICH (UCX) nor that of the wheel opens a port.
    check(openmpi, work, ["port"], [(0, False, 2, 2)])


@pytest.mark.heavy
def test_strangers_by_a_socket(openmpi, work):
    check(openmpi, work, ["join"], [(0, False, 2, 2)])


@pytest.mark.heavy
def test_strangers_by_a_socket_in_the_wheel_of_mpich(wheel_mpich, work):
    check(wheel_mpich, work, ["join"], [(0, False, 2, 2)])


@pytest.mark.heavy
def test_what_a_foreign_launcher_spawns_is_said_to_be_missing(openmpi, work):
    program = openmpi.compile("worlds.c", work / "worlds")
    recording = openmpi.record_under_launcher(1, program, work / "own", "spawn", cwd=work).ok()
    assert [w["world"] for w in recording.json()["overview"]["worlds"]] == [0]
    assert "processes started by MPI_Comm_spawn are not in this run" in recording.page()
