"""`mpiscope bench start`: times of the start and memory of a process."""

import csv
import io
import json
import os
import signal
import subprocess
import time

import pytest
from harness import MPISCOPE, Recording, environment, run
from test_bench import YIELDING, bench, parameters, profile

START = ("--budget", 2, "start")
# Of a whole round of further jobs with up to 4 ranks.
LONG = ("--budget", 60)
NEEDS_JOBS = "start: MPI_Init and memory were measured with all ranks only, because fewer ranks need further jobs: use mpiscope bench -n"


def init_of(found):
    """The curve of MPI_Init: its points by number of ranks."""
    [curve] = [c for c in found["curves"] if c["series"] == "init"]
    assert curve["axis"] == {"name": "ranks", "unit": "ranks"} and curve["pair"] is curve["rank"] is None
    return {p["x"]: p for p in curve["points"]}


def check(found):
    named = parameters(found)
    # Open MPI 4.1 cannot make a window of one process.
    several = {"win_create"} if found["mpi"]["ranks"] > 1 else set()
    for id in {"init", "init_median", "comm_dup", "comm_split"} | several:
        assert 0 < named[id]["value"] < 600e9, named[id]
    assert named["init_median"]["value"] <= named["init"]["value"]
    # An MPI maps memory; Linux shows it since 4.14.
    if "memory_before_init" in named:
        assert 0 < named["memory_before_init"]["value"] < named["memory_after_init"]["value"]
        assert named["memory_connected"]["value"] > 0


def test_two_ranks_of_every_mpi(mpi, work):
    mpi.bare(2, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START, cwd=work).ok()
    found = profile(work)
    check(found)
    assert parameters(found)["memory_of_connection"]["value"] >= 0
    assert {(c["series"], c["axis"]["unit"]) for c in found["curves"]} == {
        ("init", "ranks"), ("comm_dup", "ranks"), ("comm_split", "ranks"), ("win_create", "ranks"),
    }  # fmt: skip
    assert all([p["x"] for p in c["points"]] == [2] for c in found["curves"])
    # There are no fewer ranks.
    assert NEEDS_JOBS not in found["problems"] and not [id for id in parameters(found) if "_ranks_" in id]


def test_one_rank(mpi, work):
    mpi.bare(1, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START, cwd=work).ok()
    found = profile(work)
    check(found)
    assert not {"memory_of_connection", "memory_partners_1", "win_create"} & set(parameters(found))


def test_memory_by_number_of_partners(mpi, work):
    """Eight ranks, and a library that uses 1 MiB at the first message to each of them."""
    hungry = mpi.compile("hungry_send.c", work / "libhungry.so", "-shared", "-fPIC")
    bench(mpi, work, ranks=8, env={"LD_PRELOAD": f"{hungry} {YIELDING}"}, experiments=("start",)).ok()
    named = parameters(profile(work))
    steps = [named[f"memory_partners_{partners}"]["value"] for partners in (1, 2, 4, 7)]
    assert steps == sorted(steps) and 6 << 20 <= steps[3] - steps[0] < 8 << 20, steps
    slope = named["memory_of_connection"]
    assert slope["low"] <= slope["value"] <= slope["high"], slope
    assert 0.9 * 2**20 < slope["low"] and slope["high"] < 1.3 * 2**20, slope


def test_memory_of_the_mpi_itself(mpi, work):
    bench(mpi, work, ranks=4, experiments=("start",)).ok()
    named = parameters(profile(work))
    assert {f"memory_partners_{partners}" for partners in (1, 2, 3)} <= set(named)
    assert named["memory_of_connection"]["low"] is not None and -(64 << 10) < named["memory_of_connection"]["value"] < 1 << 20, named


def test_calls_by_number_of_ranks(mpi, work):
    mpi.bare(4, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START, cwd=work).ok()
    found = profile(work)
    check(found)
    named = parameters(found)
    for curve in found["curves"]:
        assert [p["x"] for p in curve["points"]] == ([4] if curve["series"] == "init" else [2, 4]), curve
        # The parameter is that of all ranks.
        assert named[curve["series"]]["value"] == curve["points"][-1]["median_ns"], curve


def test_init_and_memory_by_number_of_ranks(mpi, work):
    done = bench(mpi, work, ranks=5, limits=LONG, experiments=("start",)).ok()
    found = profile(work)
    check(found)
    named, points = parameters(found), init_of(found)
    assert list(points) == [2, 4, 5] and all(p["reached"] for p in points.values()), points
    # The main job is the last point; the others are repeated.
    assert points[5]["samples"] == 1 and points[5]["median_ns"] == named["init"]["value"]
    assert points[5]["rank_median_ns"] == named["init_median"]["value"]
    for ranks in (2, 4):
        assert 1 <= points[ranks]["samples"] <= 6 and points[ranks]["warm_up"] == 0, points[ranks]
        assert 0 < points[ranks]["rank_min_ns"] <= points[ranks]["median_ns"] < 600e9, points[ranks]
    for moment in ("after_init", "connected") if "memory_after_init" in named else ():
        memory = [named[f"memory_{moment}_ranks_{ranks}"] for ranks in (2, 4, 5)]
        assert all(p["unit"] == "B" and p["value"] > named["memory_before_init"]["value"] for p in memory), memory
        assert memory[2]["value"] == named[f"memory_{moment}"]["value"]
        # Shared pages in full are more.
        assert all(p["value"] <= named[f"memory_resident_ranks_{ranks}"]["value"] for p, ranks in zip(memory, (2, 4, 5))), named
    assert not [text for text in found["problems"] if "further jobs" in text], found["problems"]
    assert done.err.count("next: mpiscope bench report") == 1, str(done)
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    assert page.count("init   ") >= 3 and "memory_connected_ranks_4" in page, page
    rows = csv.DictReader(io.StringIO(run([MPISCOPE, "bench", "report", work / "host.machine", "--csv"]).ok().out))
    assert [row["x"] for row in rows if row["series"] == "init"] == ["2", "4", "5"]
    same = run([MPISCOPE, "bench", "compare", "--json", work / "host.machine", work / "host.machine"]).ok().out
    changes = json.loads(same)
    assert {c["x"] for c in changes["curves"] if c["series"] == "init"} == {2, 4, 5}
    assert {"memory_after_init_ranks_2"} <= {p["id"] for p in changes["parameters"]} or "memory_after_init" not in named


def test_the_interval_needs_six_jobs(openmpi, work):
    bench(openmpi, work, ranks=3, limits=("--budget", 240), experiments=("start/init",)).ok()
    found = profile(work)
    # Only this was chosen.
    assert {c["series"] for c in found["curves"]} == {"init"}
    points, named = init_of(found), parameters(found)
    assert points[2]["samples"] == 6 and points[2]["low_ns"] <= points[2]["median_ns"] <= points[2]["high_ns"]
    memory = named.get("memory_connected_ranks_2")
    assert memory is None or memory["low"] <= memory["value"] <= memory["high"], memory


def test_memory_that_grows_with_the_ranks_is_seen(openmpi, work):
    """A library that uses 1 MiB at the first message to each other rank: a process of 4 ranks has 2 MiB more than one of 2."""
    hungry = openmpi.compile("hungry_send.c", work / "libhungry.so", "-shared", "-fPIC")
    bench(openmpi, work, ranks=8, limits=LONG, env={"LD_PRELOAD": str(hungry)}, experiments=("start/init",)).ok()
    named = parameters(profile(work))
    grown = {
        ranks: named[f"memory_connected_ranks_{ranks}"]["value"] - named[f"memory_after_init_ranks_{ranks}"]["value"]
        for ranks in (2, 4, 8)
    }
    for ranks, bytes in grown.items():
        assert 0.9 * 2**20 * (ranks - 1) < bytes < 1.4 * 2**20 * (ranks - 1), grown


def test_the_time_of_further_jobs_is_a_part_of_the_budget(openmpi, work):
    bench(openmpi, work, ranks=9, limits=("--budget", 1), experiments=("start/init",)).ok()
    found = profile(work)
    # A job takes longer than an eighth of a second.
    assert list(init_of(found)) == [2, 9]
    assert "start: the time for further jobs ended before those with 4 and 8 ranks" in found["problems"], found["problems"]


def test_other_launchers_start_no_further_jobs(mpi, work):
    mpi.bare(4, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START, cwd=work).ok()
    found = profile(work)
    assert found["problems"].count(NEEDS_JOBS) == 1 and list(init_of(found)) == [4], found["problems"]
    # No series that needs them.
    again = ("-o", work / "other.machine", "--budget", 2, "start/comm_dup")
    mpi.bare(4, MPISCOPE, "bench", "--rank", *again, cwd=work).ok()
    assert NEEDS_JOBS not in profile(work, "other.machine")["problems"]


def test_a_launcher_that_sets_the_number_of_ranks(openmpi, work):
    launcher = f"{openmpi.launcher[0]} --oversubscribe -n 4"
    words = ["bench", "--launcher", launcher, "-o", work / "host.machine", *LONG, "start/init"]
    run([MPISCOPE, *words], cwd=work, env=openmpi.env).ok()
    found = profile(work)
    assert list(init_of(found)) == [4] and found["problems"].count(NEEDS_JOBS) == 1, found["problems"]


def test_a_further_job_that_fails_loses_nothing(mpi, work):
    """The library ends jobs of four ranks: what others have measured is kept, and jobs that measure something else follow."""
    never = mpi.compile("never_four.c", work / "libnever.so", "-shared", "-fPIC")
    yielding = f" {YIELDING}" if mpi.name == "mpich" else ""
    words = ("start/init", "threads/level")
    done = bench(mpi, work, ranks=5, limits=LONG, env={"LD_PRELOAD": f"{never}{yielding}"}, experiments=words).ok()
    found = profile(work)
    assert "start: the further jobs with fewer ranks ended early at 4 ranks: " in done.err, str(done)
    assert list(init_of(found)) == [2, 5] and found["complete"]
    assert {c["series"] for c in found["curves"]} == {"init", "level/single", "level/multiple"}


@pytest.mark.parametrize("words", [("start/init",), ("start/init", "threads/level")])
def test_an_interrupt_of_a_further_job_loses_nothing(openmpi, work, words):
    command = [MPISCOPE, "bench", "-n", 6, "--launcher", openmpi.launcher[0], "--budget", 240, "-o", work / "host.machine", *words]
    process = subprocess.Popen(
        [str(word) for word in command], cwd=work, env=environment(**openmpi.env), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    journal = work / "host.machine/journal.jsonl"
    end = time.monotonic() + 120
    # After the first further job has ended, others follow.
    while not (journal.exists() and '"kind":"launch"' in journal.read_text()):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    err = process.communicate(timeout=120)[1]
    assert process.returncode == 130, err
    found = profile(work)
    assert found["complete"] and {2, 6} <= set(init_of(found)), err
    assert {c["series"] for c in found["curves"]} == {"init"}, "nothing followed"
    assert "an interrupt ended the further jobs: those that were left are missing" in found["problems"], err


def test_it_is_recorded(mpi, work):
    """The collector has the calls that the samples imply, on both ranks."""
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=mpi.env)).ok().counts()
    sampled = {}
    for curve in profile(work)["curves"]:
        sampled[curve["series"]] = 2 * sum((p["samples"] + p["warm_up"]) * p["operations"] for p in curve["points"])
    assert counts["MPI_Comm_dup"] >= sampled["comm_dup"] > 0
    assert counts["MPI_Comm_split"] >= sampled["comm_split"] > 0
    assert counts["MPI_Win_create"] >= sampled["win_create"] > 0
    # What is made is freed.
    assert counts["MPI_Comm_free"] >= sampled["comm_dup"] + sampled["comm_split"]
    assert counts["MPI_Win_free"] >= sampled["win_create"]
