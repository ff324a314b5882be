"""`mpiscope bench arithmetic`: structure, and what holds on every processor."""

import os

from harness import MPISCOPE, Recording, run
from test_bench import parameters, profile

ARITHMETIC = ("--budget", 2, "arithmetic")
PEAKS = {"peak_double", "peak_single", "peak_double_all", "peak_single_all"}


def series(found):
    return {(c["series"], c["rank"]): c["points"] for c in found["curves"]}


def check(found):
    named = parameters(found)
    assert set(named) == PEAKS
    for id, p in named.items():
        assert p["unit"] == "flop/s" and p["rank"] == (None if id.endswith("_all") else 0), p
        # More than a processor of 1990, less than all of a rack.
        low, high = (p["low"], p["high"]) if p["low"] is not None else (p["value"], p["value"])
        assert 1e6 < low <= p["value"] <= high < 1e16, p
        assert "in registers of" in p["text"], p
    # The peak is the fastest point, and nothing is faster.
    [fused] = [c["points"] for c in found["curves"] if c["series"] == "double-fma" and c["rank"] == 0] or [[]]
    fastest = min(p["median_ns"] for p in series(found)["double", 0] + fused)
    assert abs(named["peak_double"]["value"] * fastest / 1e9 / 196608 - 1) < 1e-6
    return named


def test_two_ranks_of_every_mpi(mpi, work):
    done = mpi.bare(2, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *ARITHMETIC, cwd=work).ok()
    found = profile(work)
    assert found["complete"], str(done)
    check(found)
    by_series = series(found)
    assert {c["axis"]["unit"] for c in found["curves"]} == {"bits"} and {c["moved"] for c in found["curves"]} == {0}
    # Rank 0 alone, and all ranks together: these with the two widest registers of each precision.
    assert [p["x"] for p in by_series["double", 0]][:2] == [64, 128]
    assert [p["x"] for p in by_series["single", 0]][:2] == [32, 128]
    for precision in ("double", "single"):
        of_all = [p["x"] for (name, rank), points in by_series.items() if rank is None and name.startswith(precision) for p in points]
        widest = max(p["x"] for (name, rank), points in by_series.items() if rank == 0 and name.startswith(precision) for p in points)
        assert len(of_all) == 2 and max(of_all) == widest, of_all
    assert all(0 < p["min_ns"] <= p["median_ns"] <= p["max_ns"] for points in by_series.values() for p in points)


def test_the_widest_registers_that_the_kernel_lists_are_measured(openmpi, work):
    openmpi.bare(1, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *ARITHMETIC, cwd=work).ok()
    found = profile(work)
    check(found)
    # One rank alone is all ranks, too.
    assert {rank for _, rank in series(found)} == {0, None}
    with open("/proc/cpuinfo") as file:
        flags = {word for line in file if line.startswith("flags") for word in line.split()}
    widths = {p["x"] for points in series(found).values() for p in points}
    if flags:
        assert (256 in widths) == ("avx" in flags) and (512 in widths) == ({"avx", "fma", "avx512f"} <= flags), widths
        assert (("double-fma", 0) in series(found)) == ({"avx", "fma"} <= flags)


def test_more_ranks_than_processors_count_once_for_each_processor(openmpi, work):
    processors = len(os.sched_getaffinity(0))
    ranks = processors + 2
    openmpi.bare(ranks, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *ARITHMETIC, cwd=work).ok()
    named = check(profile(work))
    text = named["peak_double_all"]["text"]
    assert f"{processors} of {ranks} ranks together, one for each processor" in text, text


def test_the_report_has_rates_and_what_limits_a_loop(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", "--budget", 3, "arithmetic", "memory/read", "memory/triad"]
    openmpi.bare(2, *words, cwd=work).ok()
    named = parameters(profile(work))
    page = run([MPISCOPE, "bench", "report", work / "host.machine", "--width", 120]).ok().out
    assert "peak_double_all" in page and "flop/s" in page and "width in bits" in page and "double, FMA" in page, page
    # Where there is memory for a working set behind the caches.
    if "triad_memory" in named:
        assert "limits a loop over memory" in page and "(peak_double / triad_memory)" in page, page


def test_it_is_recorded(mpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *ARITHMETIC]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    recording = Recording(path, run(command, cwd=work, env=mpi.env)).ok()
    together = sum(p["samples"] + p["warm_up"] for (_, rank), points in series(profile(work)).items() if rank is None for p in points)
    # Each sample of all ranks begins after a barrier.
    assert recording.counts()["MPI_Barrier"] >= 2 * together > 0
