"""mpiscope check: worlds that meet are judged together."""

import json
import shutil
import subprocess

import pytest

from harness import MPISCOPE, environment, run, until

CASES = {
    "silent": ("deadlock.", "MPI_Recv"),
    "type": ("message.datatype", "MPI_Recv"),
    "root": ("collective.datatype", "MPI_Bcast"),
    "merged": ("message.datatype", "MPI_Sendrecv"),
    "split": ("collective.datatype", "MPI_Allreduce"),
}


def check(mpi, work, case, *options, ranks=2):
    program = mpi.compile("meeting_worlds.c", work / "meeting")
    done = run([MPISCOPE, "check", "-n", str(ranks), "--force", *options, program, case], cwd=work, env=mpi.env)
    checks = json.loads((work / "meeting.mpiscope/check/findings.json").read_text())
    return done, checks


def certain(checks):
    return [f for f in checks["findings"] if f["confidence"] == "certain" and f["severity"] != "hint"]


def wrong(mpi, work, case):
    done, checks = check(mpi, work, case)
    rule, function = CASES[case]
    found = certain(checks)
    assert done.code == 10 and found and all(f["id"].startswith(rule) for f in found), done.err
    calls = [call for f in found for call in f["parties"]]
    # Both worlds are in it, each process by its rank there.
    assert {call["world"] for call in calls} == {0, 1} and max(call["world_rank"] for call in calls) <= 1, calls
    assert any(call["function"] == function and call["line"] for call in calls)
    assert "of spawned world 1" in done.err and "rank 102" not in done.err


def right(mpi, work):
    done, checks = check(mpi, work, "right")
    assert done.code == 0 and not certain(checks), done.err
    assert checks["processes"] == 4 and not checks["notes"], checks


@pytest.mark.heavy
@pytest.mark.parametrize("case", CASES)
def test_mistakes_between_parents_and_children(openmpi, work, case):
    wrong(openmpi, work, case)


@pytest.mark.heavy
@pytest.mark.parametrize("case", ["silent", "type", "split"])
def test_mistakes_between_parents_and_children_of_mpich(wheel_mpich, work, case):
    wrong(wheel_mpich, work, case)


@pytest.mark.heavy
def test_parents_and_children_that_are_right(openmpi, work):
    right(openmpi, work)


@pytest.mark.heavy
def test_parents_and_children_of_mpich_that_are_right(wheel_mpich, work):
    right(wheel_mpich, work)


@pytest.mark.heavy
def test_worlds_that_connect_by_a_port(openmpi, work):
    done, checks = check(openmpi, work, "port", ranks=1)
    assert done.code == 10 and [f["id"] for f in certain(checks)] == ["message.datatype"], done.err
    calls = certain(checks)[0]["parties"]
    assert sorted(call["world"] for call in calls) == [1, 2] and not checks["notes"], done.err


@pytest.mark.heavy
def test_what_cannot_be_told_apart_is_said(openmpi, work):
    done, checks = check(openmpi, work, "self")
    assert done.code == 0 and not certain(checks), done.err
    # Whether both calls overlap is chance.
    if checks["notes"]:
        assert len(checks["notes"]) == 4 and any("rank 0 connected to 1 unknown process by MPI_Comm_spawn" in n for n in checks["notes"]), checks


@pytest.mark.heavy
def test_two_jobs_that_are_checked_each_by_itself(openmpi, work):
    if not shutil.which("ompi-server"):
        pytest.skip("no ompi-server")
    program = openmpi.compile("meeting_worlds.c", work / "meeting")
    uri = work / "uri"
    env = environment(**openmpi.env)
    with subprocess.Popen(["ompi-server", "--no-daemonize", "-r", str(uri)], env=env) as server:
        try:
            until(lambda: uri.exists() and uri.stat().st_size > 0, "ompi-server")
            launcher = f"mpirun.openmpi --allow-run-as-root --oversubscribe --ompi-server file:{uri}"
            words = [str(MPISCOPE), "check", "-n", "1", "--force", "--launcher", launcher]
            accept = [*words, "-o", str(work / "one"), str(program), "accept", str(work / "port")]
            connect = [*words, "-o", str(work / "two"), str(program), "connect", str(work / "port")]
            with subprocess.Popen(accept, env=env, cwd=work, stderr=subprocess.PIPE, text=True) as one:
                two = run(connect, cwd=work, env=openmpi.env)
                answer = one.communicate(timeout=60)[1]
        finally:
            server.terminate()
    assert two.code == 0 and one.returncode == 0, f"{two}\n{answer}"
    assert "rank 0 connected to 1 unknown process by MPI_Comm_accept" in answer and "is not checked" in answer, answer
    assert "rank 0 connected to 1 unknown process by MPI_Comm_connect" in two.err, two.err
