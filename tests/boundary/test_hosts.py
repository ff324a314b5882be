"""Jobs on several hosts: their files come together, their clocks are compared, a lost host is reported."""

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest
from harness import CAUSALITY, LIMIT_S, MPISCOPE, ROOT, Recording, environment, run, until
from hosts import NETWORK_ENV, Cluster, why_not

NOT_HERE = why_not()
pytestmark = [pytest.mark.skipif(bool(NOT_HERE), reason=str(NOT_HERE)), pytest.mark.heavy]
INCLUDE = f"-I{ROOT / 'include'}"
# Ahead of the first host, by very much and by little, so that a test without correction cannot pass.
# What clocks may be wrong by after they were compared: a busy machine answers late. They are a thousand seconds apart.
WRONG_NS = 1_000_000_000
SHIFTS_S = {"alpha": 0, "beta": 1000, "gamma": -7}


@pytest.fixture(params=["openmpi", "wheel_mpich"])
def mpi(request):
    """Open MPI of the system and MPICH of its wheel, see `hosts.NETWORK_ENV`."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def cluster(work):
    """Two hosts."""
    made = Cluster(work, {name: SHIFTS_S[name] for name in ("alpha", "beta")})
    yield made
    made.close()


@pytest.fixture
def cluster3(work):
    made = Cluster(work, SHIFTS_S)
    yield made
    made.close()


def names(recording, ending):
    return sorted(path.name.split(".")[0] for path in (recording.path / "ranks").glob(f"*{ending}"))


def spool_of(recording):
    return f"/dev/shm/mpiscope-{os.getuid()}-{json.loads((recording.path / 'run.json').read_text())['run_id']}"


def start(cluster, mpi, program, *arguments, path, options=()):
    """`mpiscope run` of two ranks on each host, which goes on."""
    launcher = shlex.join(map(str, cluster.launcher(mpi, 2)))
    words = [MPISCOPE, "run", "-n", 2 * len(cluster.hosts), "-o", path, "--launcher", launcher, *options, "--", program, *arguments]
    return background(cluster, mpi, words)


def background(cluster, mpi, words):
    return subprocess.Popen(
        cluster.first.words(*words), env=environment(**mpi.env, **NETWORK_ENV), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )


def ended(process):
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return out.decode(), err.decode()


def at_work(cluster, recording):
    """Waits until both ranks of each host are in the region of patient.c."""

    def regions(host):
        done = host.run(MPISCOPE, "ctl", recording.path, "status", "--here", "--json")
        ranks = json.loads(done.out)["ranks"] if done.code == 0 else []
        return [rank["region"] for rank in ranks if rank["host"] == host.name]

    until(lambda: all(regions(host) == ["working"] * 2 for host in cluster.hosts.values()), "all at work")


def test_files_of_all_hosts_come_into_the_run(cluster, mpi, work):
    program = mpi.compile("ring.c", work / "ring")
    recording = cluster.record(mpi, 2, program, 10, path=work / "r.mpiscope").ok()
    assert recording.done.out == "ring OK\n"
    assert names(recording, ".rank") == names(recording, ".exit.json") == ["alpha", "alpha", "beta", "beta"]
    for host in cluster.hosts.values():
        assert "mpiscope" not in host.run("ls", "/dev/shm").out
    found = recording.json()
    assert found["overview"]["hosts"] == {"alpha": 2, "beta": 2} and not found["diagnostics"], found["diagnostics"]
    assert sorted(path.name for path in recording.path.iterdir()) == ["clocks", "cores", "nodes", "ranks", "run.json", "spools.txt"]


def test_clocks_are_compared_under_a_launcher_of_ones_own(cluster3, mpi, work):
    program = mpi.compile("ring.c", work / "ring")
    path = work / "r.mpiscope"
    done = cluster3.launch(mpi, 1, MPISCOPE, "exec", "-o", path, "--", program, 10).ok()
    found = Recording(path, done).json()["clocks"]
    assert [row["host"] for row in found] == ["alpha", "beta", "gamma"]
    reference = next(row["host"] for row in found if row["basis"] == "reference")
    for row in found:
        if row["host"] == reference:
            continue
        assert row["basis"] == "rounds" and row["rounds"] >= 2, found
        # All of them are one oscillator: what was added is what must come out of every round.
        true_ns = (SHIFTS_S[reference] - SHIFTS_S[row["host"]]) * 10**9
        lines = map(json.loads, (path / "clocks" / f"{row['host']}.jsonl").read_text().splitlines())
        rounds = [line for line in lines if "offset_ns" in line]
        assert len(rounds) == row["rounds"] and rounds[0]["offset_ns"] == row["offset_ns"], rounds
        assert all(abs(line["offset_ns"] - true_ns) <= line["rtt_ns"] / 2 for line in rounds), rounds
        assert row["error_ns"] < WRONG_NS, found
    assert "CLOCKS" in Recording(path, done).page("--full")
    schema = (path / "clocks" / f"{reference}.jsonl").read_text().splitlines()
    assert len(schema) == 1 and json.loads(schema[0])["reference"] == reference


def test_messages_between_hosts_arrive_after_they_were_sent(cluster, mpi, work):
    program = mpi.compile("pingpong.c", work / "pingpong")
    count = 1500
    recording = cluster.record(mpi, 2, program, count, path=work / "r.mpiscope", options=["--clock-rounds", "1"]).ok()
    row = next(row for row in recording.json()["clocks"] if row["basis"] != "reference")
    # A busy machine may miss the last one, for which the end of the program hardly waits.
    assert row["rounds"] >= 2, row
    seen = json.loads(run([CAUSALITY, recording.path]).ok().out)
    assert seen["messages"] == 4 * count and seen["unmatched"] == 0, seen
    assert seen["beyond_the_bound"] == 0 and seen["error_max_ns"] < WRONG_NS, seen


def test_waits_across_hosts_are_explained_on_one_clock(cluster, mpi, work):
    """Who is late and by how much, though the clocks are a quarter of an hour apart. The same in the store."""
    program, count, late_us = mpi.compile("late.c", work / "late"), 25, 20_000
    recording = cluster.record(mpi, 2, program, count, late_us, path=work / "r.mpiscope").ok()
    report = recording.json()
    explained = report["explanation"]
    matching, scope = explained["matching"], explained["scope"]
    assert matching["messages"] >= 4 * count, matching
    # What the rounds leave: each within the error that they say.
    assert matching["causality_beyond_error"] == 0, matching
    bound = 2 * max(row["error_ns"] for row in report["clocks"])
    assert matching["causality_worst_ns"] <= bound < WRONG_NS, (matching, report["clocks"])
    # 80 ms a turn, on all clocks, and not a quarter of an hour.
    took = scope["end_ns"] - scope["start_ns"]
    assert count * 4 * late_us * 1000 <= took < 500e9, scope
    waits = {(row["rank"], row["cause_rank"]): row["wait_ns"] for row in explained["waits"] if row["id"] == "late_sender"}
    hosts = {rank["rank"]: rank["host"] for rank in report["ranks"]}
    for low, high in ((0, 3), (1, 2)):
        assert hosts[low] != hosts[high]
        # A busy machine may wake a rank late, never early.
        for waiter, cause, share in ((high, low, 1), (low, high, 3)):
            expected = count * late_us * 1000 * share
            assert 0.9 * expected - bound * count <= waits[waiter, cause] < took, (waits, expected)
    assert not any("were not compared" in caveat for caveat in explained["caveats"]), explained["caveats"]
    pl = pytest.importorskip("polars")
    run([MPISCOPE, "store", recording.path]).ok()
    table = lambda name: pl.scan_parquet(recording.path / "store" / name / "*.parquet").collect()  # noqa: E731
    assert sorted(table("ranks")["clock_error_ns"].to_list())[:2] == [0, 0]
    assert table("messages").filter(pl.col("receive_done_end_ns") + bound < pl.col("send_start_ns")).is_empty()
    assert table("calls").filter((pl.col("end_ns") < pl.col("start_ns")) | (pl.col("end_ns") > 500 * 10**9)).is_empty()
    stored = table("waits").filter(pl.col("kind").cast(pl.String) == "late_sender")
    for (waiter, cause), expected in waits.items():
        rows = stored.filter((pl.col("rank") == waiter) & (pl.col("cause_rank") == cause))
        assert (rows["end_ns"] - rows["start_ns"]).sum() == expected


def test_waits_between_clocks_that_were_not_compared_are_said(cluster, openmpi, work):
    program = openmpi.compile("late.c", work / "late")
    options = ["--clock-rounds", "0"]
    explained = cluster.record(openmpi, 1, program, 10, 20_000, path=work / "r.mpiscope", options=options).ok().json()["explanation"]
    assert any("were not compared" in caveat for caveat in explained["caveats"]), explained["caveats"]
    # The time of day is one here, so that the times of day are as good as rounds.
    [row] = [row for row in explained["waits"] if row["id"] == "late_sender" and row["rank"] == 1]
    assert 0.9 * 200e6 <= row["wait_ns"] < explained["scope"]["end_ns"] - explained["scope"]["start_ns"] < 500e9, row


def test_no_rounds_when_they_are_not_wanted(cluster, openmpi, work):
    program = openmpi.compile("ring.c", work / "ring")
    recording = cluster.record(openmpi, 1, program, 10, path=work / "r.mpiscope", options=["--clock-rounds", "0"]).ok()
    assert not (recording.path / "clocks").exists()
    found = recording.json()
    assert {row["basis"] for row in found["clocks"]} == {"reference", "time-of-day"} and not found["diagnostics"]
    assert "CLOCKS" not in recording.page("--full")


def test_a_host_that_dies_is_gathered_by_run(cluster, mpi, work):
    program = mpi.compile("patient.c", work / "patient", INCLUDE)
    recording = Recording(work / "r.mpiscope", None)
    process = start(cluster, mpi, program, 100000, work / "end", path=recording.path)
    beta = cluster.hosts["beta"]
    at_work(cluster, recording)
    beta.kill_everything()
    _, err = ended(process)
    assert "gathering remaining files from beta" in err, err
    assert names(recording, ".rank").count("beta") == 2 and "beta" not in names(recording, ".exit.json")
    fates = recording.settled().json()["ranks"]
    assert {rank["fate"]["kind"] for rank in fates if rank["host"] == "beta"} == {"unfinished"}
    assert "end not recorded" in recording.page()


def test_a_host_that_dies_with_its_launcher_s_way_to_it(cluster, openmpi, work):
    """Neither `run` nor anybody gets there, until somebody types it there."""
    program = openmpi.compile("patient.c", work / "patient", INCLUDE)
    recording = Recording(work / "r.mpiscope", None)
    process = start(cluster, openmpi, program, 100000, work / "end", path=recording.path)
    beta = cluster.hosts["beta"]
    at_work(cluster, recording)
    cluster.shell.write_text("#!/bin/sh\necho 'no route to host' >&2\nexit 255\n")
    beta.kill_everything()
    _, err = ended(process)
    assert f"beta may still hold rank files in {spool_of(recording)}" in err, err
    assert f"try on beta: mpiscope gather {recording.path}" in err, err
    assert names(recording, ".rank") == ["alpha", "alpha"]
    page = recording.page("--full", code=1)
    assert "rank(s) 2-3: nothing was recorded" in page
    assert f"files of beta are still in {spool_of(recording)}" in page, page
    again = cluster.first.run(MPISCOPE, "gather", recording.path)
    assert again.code == 1 and "beta may still hold" in again.err, str(again)
    # There: by the name of the run, or without.
    there = beta.run(MPISCOPE, "gather", "--json").ok()
    found = json.loads(there.out)
    assert found["host"] == "beta" and found["runs"][0]["run"] == str(recording.path), str(there)
    assert [name.split(".")[0] for name in found["runs"][0]["taken"]] == ["beta", "beta"], str(there)
    assert names(recording, ".rank") == ["alpha", "alpha", "beta", "beta"]
    assert not recording.json(code=0)["diagnostics"]
    cluster.first.run(MPISCOPE, "gather", recording.path).ok()


@pytest.fixture
def private(cluster, work):
    """A directory that is another one on each host."""
    place = work / "private"
    place.mkdir()
    cluster.hosts["beta"].run("mount", "-t", "tmpfs", "tmpfs", place).ok()
    return place


def test_a_host_that_does_not_see_the_run(cluster, private, mpi, work):
    program = mpi.compile("ring.c", work / "ring")
    recording = cluster.record(mpi, 2, program, 10, path=private / "r.mpiscope").ok()
    err = recording.done.err
    assert f"beta cannot access {recording.path}" in err and "fetched from beta" in err, err
    assert names(recording, ".rank") == names(recording, ".exit.json") == ["alpha", "alpha", "beta", "beta"]
    report = recording.json()
    assert report["overview"]["hosts"] == {"alpha": 2, "beta": 2}
    # No process there could answer with its time: that is reported at the end, in the report, and where it matters.
    assert "its clock was not compared" in err, err
    [reported] = [one for one in report["diagnostics"] if one["id"] == "clock-not-compared"]
    assert "beta" in reported["text"], reported
    [row] = [row for row in report["clocks"] if row["host"] == "beta"]
    assert (row["basis"], row["error_ns"]) == ("time-of-day", None), row
    # The times of day of these hosts are one: a thousand seconds would not fit into the run.
    scope = report["explanation"]["scope"]
    assert scope["end_ns"] - scope["start_ns"] < 500e9, scope
    assert "mpiscope" not in cluster.hosts["beta"].run("ls", "/tmp", "/dev/shm", private).out


def test_a_part_that_somebody_carries_over(cluster, private, openmpi, work):
    program = openmpi.compile("ring.c", work / "ring")
    path, beta = private / "r.mpiscope", cluster.hosts["beta"]
    # A second launcher that does not start anything.
    broken = work / "mpirun"
    launcher = shlex.join(map(str, cluster.launcher(openmpi, 2)))
    broken.write_text(f'#!/bin/sh\ncase "$*" in *exec*) exec {launcher} "$@" ;; esac\nexit 1\n')
    broken.chmod(0o755)
    words = [MPISCOPE, "run", "-n", 4, "-o", path, "--launcher", broken, "--", program, 10]
    done = cluster.first.run(*words, env={**openmpi.env, **NETWORK_ENV}).ok()
    recording = Recording(path, done)
    assert "rank(s) 2-3: nothing was recorded" in recording.page(code=1)
    reported = beta.run(MPISCOPE, "gather", path)
    assert reported.code == 2 and "its part of the run is in" in reported.err and "--from" in reported.err, str(reported)
    part = until(lambda: beta.run("sh", "-c", "ls -d /tmp/mpiscope-*.part").out.strip(), "a part")
    beta.run("cp", "-r", part, work / "carried").ok()
    taken = cluster.first.run(MPISCOPE, "gather", path, "--from", work / "carried").ok()
    # Of each rank its file, how it ended and its processor time; of the host its facts and its load.
    assert taken.out.count("beta.") == 8, str(taken)
    assert recording.json()["overview"]["hosts"] == {"alpha": 2, "beta": 2}
    wrong = cluster.first.run(MPISCOPE, "gather", path, "--from", work)
    assert wrong.code == 2 and "not a part of this run" in wrong.err


def test_a_spool_that_fills_does_no_harm(cluster, mpi, work):
    program = mpi.compile("pingpong.c", work / "pingpong")
    spool = work / "spool"
    spool.mkdir()
    beta = cluster.hosts["beta"]
    # Room for what describes the calls, not for a chunk of events.
    beta.run("mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", spool).ok()
    recording = cluster.record(mpi, 2, program, 200, path=work / "r.mpiscope", options=["--spool", spool]).ok()
    assert recording.done.out == "pingpong OK\n"
    assert names(recording, ".exit.json") == ["alpha", "alpha", "beta", "beta"]
    found = json.loads(recording.report("--json").out)
    lost = found["losses"]
    assert lost["events_dropped"] + lost["calls_without_thread"] > 0, lost
    assert "dropped" in (page := recording.page()) or "no room" in page or "beyond the limit" in page, page


def states(host, recording):
    done = host.run(MPISCOPE, "ctl", recording.path, "status", "--here", "--json")
    ranks = json.loads(done.out)["ranks"] if done.code == 0 else []
    return [rank["state"] for rank in ranks if rank["host"] == host.name]


def all_are(cluster, recording, state):
    until(lambda: all(states(host, recording) == [state] * 2 for host in cluster.hosts.values()), f"all {state}")


def test_ctl_reaches_other_hosts(cluster, mpi, work):
    program = mpi.compile("patient.c", work / "patient", INCLUDE)
    recording = Recording(work / "r.mpiscope", None)
    process = start(cluster, mpi, program, 100000, work / "end", path=recording.path)
    at_work(cluster, recording)
    # From either host.
    for host, what, state, words in (("alpha", "stop", "paused", "paused"), ("beta", "start", "recorded", "resumed")):
        done = cluster.hosts[host].run(MPISCOPE, "ctl", recording.path, what).ok()
        assert f"4 of 4 processes {words}" in done.err, str(done)
        all_are(cluster, recording, state)
    done = cluster.first.run(MPISCOPE, "ctl", recording.path, "snapshot", "--to", work / "now", "--json").ok()
    reported = json.loads(done.out)
    assert reported["elsewhere"] == [] and [(one["host"], one["changed"]) for one in reported["hosts"]] == [("beta", 2)], str(done)
    copied = Recording(work / "now", None).json()
    assert copied["overview"]["hosts"] == {"alpha": 2, "beta": 2} and copied["clocks"][0]["host"] == "alpha"
    # What all hosts do, seen from each.
    for host in cluster.hosts.values():
        reported = json.loads(host.run(MPISCOPE, "ctl", recording.path, "status", "--json").ok().out)
        assert (reported["running"], reported["elsewhere"]) == (4, []), reported
        ranks = [(rank["rank"], rank["state"], rank["region"]) for rank in reported["ranks"]]
        assert ranks == [(rank, "recorded", "working") for rank in range(4)], reported
        assert sorted(rank["host"] for rank in reported["ranks"]) == ["alpha", "alpha", "beta", "beta"]
        # Its own clock says for how long: no other's does.
        assert all(rank["call_ns"] < 100 * 10**9 for rank in reported["ranks"] if rank["call"]), reported
        jsonschema.validate(reported, json.loads((ROOT / "schemas/ctl.schema.json").read_text()))
    page = cluster.first.run(MPISCOPE, "ctl", recording.path, "status").ok()
    assert page.err == "" and page.out.count("recorded") == 4 and page.out.count("beta") == 2, str(page)
    own = json.loads(cluster.first.run(MPISCOPE, "ctl", recording.path, "status", "--here", "--json").ok().out)
    assert own["running"] == 2 and {rank["host"] for rank in own["ranks"]} == {"alpha"}, own
    # A leader that is stopped does not answer.
    cluster.hosts["beta"].run("sh", "-c", "pkill -STOP -x mpiscope").ok()
    done = cluster.first.run(MPISCOPE, "ctl", recording.path, "stop")
    assert done.code == 1 and "could not contact other hosts with processes of the run: beta" in done.err, str(done)
    assert "2 of 2" in done.err, str(done)
    done = cluster.first.run(MPISCOPE, "ctl", recording.path, "status").ok()
    assert "could not contact other hosts with processes of the run: beta" in done.err, str(done)
    assert done.out.count("alpha") + done.out.count("paused") >= 2, str(done)
    cluster.hosts["beta"].run("sh", "-c", "pkill -CONT -x mpiscope").ok()
    (work / "end").touch()
    out, err = ended(process)
    assert out == "patient OK\n" and process.returncode == 0, err
    assert not (recording.path / "control").exists()


@pytest.mark.parametrize("under", ["run", "exec"])
def test_a_signal_reaches_every_host(cluster, mpi, work, under):
    program = mpi.compile("patient.c", work / "patient", INCLUDE)
    recording = Recording(work / "r.mpiscope", None)
    # Hydra passes USR1 on and is ended by USR2; `run` asks the hosts itself.
    name, number = ("USR2", signal.SIGUSR2) if under == "run" else ("USR1", signal.SIGUSR1)
    if under == "run":
        process = start(cluster, mpi, program, 100000, work / "end", path=recording.path, options=["--signal", name])
    else:
        words = [*cluster.launcher(mpi, 2), "-n", 4, MPISCOPE, "exec", "-o", recording.path, "--signal", name, "--", program, 100000, work / "end"]
        process = background(cluster, mpi, words)
    at_work(cluster, recording)
    # What nsenter has started.
    pid = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
    for state in ("paused", "recorded"):
        time.sleep(0.5)  # two within 0.3 s are one
        os.kill(pid, number)
        all_are(cluster, recording, state)
    (work / "end").touch()
    out, err = ended(process)
    assert out == "patient OK\n" and process.returncode == 0, err
    assert under == "exec" or "4 processes paused" in err, err
