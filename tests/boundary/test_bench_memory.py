"""`mpiscope bench memory`: structure, not speed: what must hold on a slow and busy machine."""

import os

from harness import MPISCOPE, Recording, run
from test_bench import parameters, profile

KERNELS = ("read", "copy", "scale", "add", "triad")
MEMORY = ("--budget", 2, "memory")


def series(found):
    return {(c["series"], c["rank"]): c["points"] for c in found["curves"]}


def test_two_ranks_of_every_mpi(mpi, work):
    done = mpi.bare(2, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *MEMORY, cwd=work).ok()
    found = profile(work)
    assert found["complete"], str(done)
    by_series = series(found)
    sizes = [p["x"] for p in by_series["read", 0]]
    assert sizes[0] == 6 << 10 and all(b == 2 * a for a, b in zip(sizes, sizes[1:]))
    for kernel in KERNELS:
        # Rank 0 alone, and all ranks together.
        for rank in (0, None):
            assert [p["x"] for p in by_series[kernel, rank]] == sizes, (kernel, rank)
            assert all(0 < p["min_ns"] <= p["median_ns"] <= p["max_ns"] for p in by_series[kernel, rank])
    assert {c["axis"]["unit"] for c in found["curves"]} == {"B"}
    assert ("chase", 0) in by_series and ("pages", 0) in by_series and ("chase", None) not in by_series
    has_huge = ("read-huge", 0) in by_series
    assert has_huge != any("no huge pages" in problem for problem in found["problems"]), found["problems"]
    named = parameters(found)
    if os.path.exists("/sys/devices/system/cpu/cpu0/cache/index0"):
        assert {"read_L1", "triad_L1", "latency_L1", "copy_L1_all"} <= set(named)
    for p in found["parameters"]:
        assert p["value"] > 0 or p["id"] == "page_walk", p
    # A load takes a cycle or more; nothing reads a petabyte per second.
    assert all(p["value"] > 0.1 for p in found["parameters"] if p["id"].startswith("latency_"))
    assert all(p["value"] < 1e15 for p in found["parameters"] if p["unit"] == "B/s")
    page = run([MPISCOPE, "bench", "report", work / "host.machine", "--width", 120]).ok().out
    assert "working set" in page and "triad" in page and "RANK 0" in page.upper(), page


def test_one_rank(openmpi, work):
    openmpi.bare(1, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *MEMORY, cwd=work).ok()
    assert {rank for _, rank in series(profile(work))} == {0, None}


def test_a_working_set_without_memory_is_left_out(mpich, work):
    """A limit of private memory: both blocks of half the largest working set fit, those of the largest do not."""
    whole = mpich.bare(1, MPISCOPE, "bench", "--rank", "-o", work / "whole.machine", *MEMORY, cwd=work)
    whole.ok()
    largest = max(p["x"] for p in series(profile(work, "whole.machine"))["read", 0])
    words = ["prlimit", f"--data={largest * 3 // 2}", MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *MEMORY]
    done = mpich.bare(1, *words, cwd=work).ok()
    found = profile(work)
    assert any("there is no memory for a working set of" in problem for problem in found["problems"]), str(done)
    assert max(p["x"] for p in series(found)["read", 0]) < largest


def test_it_is_recorded(mpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *MEMORY]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    recording = Recording(path, run(command, cwd=work, env=mpi.env)).ok()
    together = sum(p["samples"] + p["warm_up"] for (_, rank), points in series(profile(work)).items() if rank is None for p in points)
    # Each sample of all ranks begins after a barrier.
    assert recording.counts()["MPI_Barrier"] >= 2 * together > 0
