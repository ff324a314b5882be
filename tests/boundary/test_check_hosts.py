"""mpiscope check with ranks on several hosts: what they do is seen while they do it, whatever becomes of the way to them."""

import json
import platform
import shlex
import signal
import subprocess
import time

import jsonschema
import pytest
from harness import LIMIT_S, MPISCOPE, ROOT, environment, until
from hosts import NETWORK_ENV, Cluster, why_not

NOT_HERE = why_not()
pytestmark = [pytest.mark.skipif(bool(NOT_HERE), reason=str(NOT_HERE)), pytest.mark.heavy]
SHIFTS_S = {"alpha": 0, "beta": 1000, "gamma": -7}

# What happens after a start that all hosts have made. A rank and its peer are on different hosts.
FRAME = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <time.h>
static int rank, size, peer;
int main(int argc, char **argv)
{
    int value[4] = {1, 2, 3, 4};
    double real[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    peer = size - 1 - rank;
    (void)value, (void)real;
    MPI_Barrier(MPI_COMM_WORLD);
BODY
    MPI_Finalize();
    return 0;
}
"""
STUCK = """
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    fprintf(stderr, "STAMP %d %ld.%09ld\\n", rank, (long)t.tv_sec, t.tv_nsec);
    MPI_Recv(value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    MPI_Send(value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
"""
COLLECTIVE = """
    MPI_Bcast(value, 1, MPI_INT, rank < size / 2 ? 0 : size - 1, MPI_COMM_WORLD); /* HERE */
"""
TYPES = """
    if (rank < size / 2)
        MPI_Send(value, 4, MPI_INT, peer, 3, MPI_COMM_WORLD);
    else
        MPI_Recv(real, 4, MPI_FLOAT, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
"""
RIGHT = """
    for (int i = 0; i < 300; i++) {
        int got = -1, sum = 0;
        MPI_Request two[2];
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &two[0]);
        MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &two[1]);
        MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
        if (got != (rank + size - 1) % size)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
"""
# Goes on until a file is there, and fills the rings many times.
LONG = """
    for (int go = 1; go;) {
        for (int i = 0; i < 200; i++)
            MPI_Sendrecv(value, 1, MPI_INT, peer, 1, value + 1, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        go = access(argv[1], F_OK) != 0;
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("went on to its end\\n");
"""


@pytest.fixture(params=["openmpi", "wheel_mpich"])
def mpi(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def cluster(work):
    made = Cluster(work, {name: SHIFTS_S[name] for name in ("alpha", "beta")})
    yield made
    made.close()


@pytest.fixture
def cluster3(work):
    made = Cluster(work, SHIFTS_S)
    yield made
    made.close()


def built(mpi, work, body):
    source = work / "program.c"
    source.write_text(FRAME.replace("BODY", body))
    return mpi.compile(source, work / "program"), next((n for n, l in enumerate(source.read_text().splitlines(), 1) if "HERE" in l), None)


def check(cluster, mpi, work, program, *arguments, each=1, **how):
    recording = cluster.record(mpi, each, program, *arguments, path=work / "r.mpiscope", verb="check", **how)
    return recording.done, answer(work)


def answer(work):
    found = json.loads((work / "r.mpiscope/check/findings.json").read_text())
    jsonschema.validate(found, json.loads((ROOT / "schemas/check.schema.json").read_text()))
    return found


def relays(host):
    """Processes that read rings on a host."""
    lines = host.run("ps", "-eo", "pid,stat,args").out.splitlines()
    return [int(line.split()[0]) for line in lines if "mpiscope relay" in line and " Z" not in line and "nsenter" not in line]


def test_a_deadlock_over_two_hosts(cluster, mpi, work):
    program, line = built(mpi, work, STUCK)
    done, found = check(cluster, mpi, work, program, each=2)
    ended_s = time.monotonic()
    assert done.code == 10, str(done)
    [stuck] = [f for f in found["findings"] if f["id"] == "deadlock.cycle" and len(f["parties"]) >= 2][:1]
    assert stuck["confidence"] == "certain" and all(party["line"] == line for party in stuck["parties"]), stuck
    assert found["processes"] == 4 and found["events_lost"] == 0 and not found["notes"], found
    # The clock of alpha is that of the judge; beta's is seconds away from it.
    stamps = [float(text.split()[2]) for text in done.err.splitlines() if text.startswith("STAMP") and int(text.split()[1]) < 2]
    assert len(stamps) == 2 and max(stamps) < stuck["found_ns"] / 1e9 < ended_s, (stuck["found_ns"], stamps, ended_s)
    until(lambda: not relays(cluster.hosts["beta"]), "no relay is left")


@pytest.mark.parametrize("body, rule", [(COLLECTIVE, "collective.root"), (TYPES, "message.datatype")])
def test_mismatches_over_hosts(cluster, mpi, work, body, rule):
    program, line = built(mpi, work, body)
    done, found = check(cluster, mpi, work, program)
    assert done.code == 10, str(done)
    [wrong] = [f for f in found["findings"] if f["id"] == rule]
    assert wrong["confidence"] == "certain" and line in {party["line"] for party in wrong["parties"]}, wrong
    assert {party["rank"] for party in wrong["parties"]} == {0, 1}


def test_a_right_program_on_three_hosts(cluster3, openmpi, work):
    # Ranks of MPICH spin: three of them on two cores take too long.
    program, _ = built(openmpi, work, RIGHT)
    done, found = check(cluster3, openmpi, work, program)
    assert done.code == 0 and "checked 3 processes: no problems found" in done.err, str(done)
    assert not found["findings"] and not found["notes"] and found["events_lost"] == 0, found


def in_background(cluster, mpi, work, program, *arguments):
    launcher = shlex.join(map(str, cluster.launcher(mpi, 1)))
    words = [MPISCOPE, "check", "-n", len(cluster.hosts), "-o", work / "r.mpiscope", "--launcher", launcher, "--", program, *arguments]
    return subprocess.Popen(
        cluster.first.words(*words), env=environment(**mpi.env, **NETWORK_ENV), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )


def ended(process):
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
    return out.decode(), err.decode()


def test_a_relay_that_is_killed_harms_nobody(cluster, openmpi, work):
    program, _ = built(openmpi, work, LONG)
    process = in_background(cluster, openmpi, work, program, work / "end")
    beta = cluster.hosts["beta"]
    [relay] = until(lambda: relays(beta), "a relay")
    time.sleep(1)
    beta.run("kill", "-KILL", relay).ok()
    # It goes on, with rings that are full at once.
    time.sleep(6)
    (work / "end").touch()
    out, err = ended(process)
    assert process.returncode == 0 and "went on to its end" in out, err
    found = answer(work)
    assert any("beta is unreachable" in note for note in found["notes"]), found["notes"]
    assert found["events_lost"] > 0 and "events were lost" in err
    assert all(f["confidence"] == "possible" for f in found["findings"]), found["findings"]


def test_a_wire_that_is_cut_for_a_while_loses_nothing(cluster, openmpi, work):
    """The judge's port alone, so that MPI goes on."""
    program, _ = built(openmpi, work, RIGHT.replace("300", "400").replace("int got", "usleep(10000); int got"))
    process = in_background(cluster, openmpi, work, program)
    beta = cluster.hosts["beta"]
    until(lambda: relays(beta), "a relay")
    [relay] = relays(beta)
    time.sleep(1)
    beta.run("kill", "-STOP", relay).ok()
    time.sleep(1.5)
    beta.run("kill", "-CONT", relay).ok()
    _, err = ended(process)
    assert process.returncode == 0 and "checked 2 processes: no problems found" in err, err
    assert answer(work)["events_lost"] == 0


def test_a_program_that_only_the_other_host_has(cluster, openmpi, work):
    """Lines come from where the files are."""
    place = work / "place"
    place.mkdir()
    lines = []
    # Each host has a program under the same name; beta's is not alpha's, and its calls are a line further down.
    for host, body in ((cluster.first, STUCK), (cluster.hosts["beta"], f"\n    volatile int other = 1; (void)other;{STUCK}")):
        program, line = built(openmpi, work, body)
        host.run("mount", "-t", "tmpfs", "tmpfs", place).ok()
        host.run("cp", program, place / "program").ok()
        lines.append(line)
    assert lines[0] + 1 == lines[1]
    done, found = check(cluster, openmpi, work, place / "program")
    assert done.code == 10, str(done)
    stuck = next(f for f in found["findings"] if f["id"] == "deadlock.cycle")
    assert {party["rank"]: party["line"] for party in stuck["parties"]} == {0: lines[0], 1: lines[1]}, stuck


JUMPS = """
#include <mpi.h>
__attribute__((noinline)) static int hand_over(int *values, int n, int to)
{
    if (n < 0)
        return MPI_Barrier(MPI_COMM_WORLD);
    values[0]++;
    return MPI_Ssend(values, n, MPI_INT, to, 3, MPI_COMM_WORLD); /* HERE */
}

int main(int argc, char **argv)
{
    int values[4] = {0}, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    hand_over(values, 4, 1 - rank);
    hand_over(values, -argc, 0);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="code of other processors is not read")
def test_a_jump_in_a_program_that_only_the_other_host_has(cluster, openmpi, work):
    """The line of a call for which its function has given up its frame: each host looks at its own file."""
    place = work / "place"
    place.mkdir()
    lines = {}
    for rank, (host, before) in enumerate(((cluster.first, ""), (cluster.hosts["beta"], "int other;\n\n\n"))):
        source = work / "jumps.c"
        source.write_text(before + JUMPS)
        program = openmpi.compile(source, work / "jumps", "-O2")
        host.run("mount", "-t", "tmpfs", "tmpfs", place).ok()
        host.run("cp", program, place / "jumps").ok()
        lines[rank] = next(n for n, l in enumerate(source.read_text().splitlines(), 1) if "HERE" in l)
    done, found = check(cluster, openmpi, work, place / "jumps")
    assert done.code == 10, str(done)
    stuck = next(f for f in found["findings"] if f["id"] == "deadlock.cycle")
    assert {party["rank"]: (party["line"], party["function"]) for party in stuck["parties"]} == {
        rank: (line, stuck["parties"][0]["function"]) for rank, line in lines.items()
    }, stuck
    assert all(party["stack"][0]["function"] == "hand_over" for party in stuck["parties"]), stuck


def test_a_host_that_does_not_see_the_run_is_read_at_the_end(cluster, openmpi, work):
    program, _ = built(openmpi, work, TYPES)
    private = work / "private"
    private.mkdir()
    cluster.hosts["beta"].run("mount", "-t", "tmpfs", "tmpfs", private).ok()
    recording = cluster.record(openmpi, 1, program, path=private / "r.mpiscope", verb="check")
    found = json.loads((private / "r.mpiscope/check/findings.json").read_text())
    assert any(f["id"] == "message.datatype" for f in found["findings"]), str(recording.done)
    assert any("events of 1 process on beta did not arrive" in note for note in found["notes"]), found["notes"]


def test_strangers_are_told_nothing(cluster, openmpi, work):
    program, _ = built(openmpi, work, LONG)
    process = in_background(cluster, openmpi, work, program, work / "end")
    judge = until(lambda: (work / "r.mpiscope/check/judge.json").exists() and work / "r.mpiscope/check/judge.json", "a judge")
    assert judge.stat().st_mode & 0o077 == 0
    port = json.loads(judge.read_text())["port"]
    script = f"""
import socket
for first in (b"MPSCRNG1" + bytes(16), b"GET / HTTP/1.0\\r\\n\\r\\n" + bytes(100), bytes(5)):
    s = socket.create_connection(("{cluster.first.address}", {port}), 5)
    s.settimeout(120)
    s.sendall(first)
    try:
        assert s.recv(100) == b"", "it answered"
    except ConnectionResetError:
        pass
"""
    cluster.hosts["beta"].run("python3", "-c", script).ok()
    (work / "end").touch()
    out, err = ended(process)
    assert process.returncode == 0 and "checked 2 processes: no problems found" in err, err
    assert not judge.exists()
