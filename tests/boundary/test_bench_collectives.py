"""`mpiscope bench collectives`: every way of every operation with real MPIs; the numbers are only checked for what must hold on any machine."""

import pytest
from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

# Every way is measured at least once, however short the budget.
SMALL = ("--budget", 2, "--max-bytes", "1K")
OPERATIONS = {
    "barrier": {"allreduce", "ibarrier"},
    "bcast": {"scatter+allgather", "ibcast", "split"},
    "scatter": {"bcast", "scatterv", "iscatter", "iscatterv"},
    "gather": {"allgather", "gatherv", "igather", "igatherv"},
    "allgather": {"gather+bcast", "alltoall", "allgatherv", "iallgather", "iallgatherv"},
    "alltoall": {"alltoallv", "alltoallw", "ialltoall", "ialltoallv", "ialltoallw"},
    "reduce": {"allreduce", "ireduce", "split"},
    "allreduce": {"reduce+bcast", "reduce_scatter+allgather", "iallreduce", "split"},
    "reduce_scatter": {"reduce+scatter", "reduce_scatter_counts", "ireduce_scatter", "ireduce_scatter_counts"},
    "scan": {"iscan", "split"},
    "exscan": {"iexscan", "split"},
    "neighbor_allgather": {"ineighbor_allgather", "neighbor_allgatherv", "ineighbor_allgatherv", "isend+irecv"},
    "neighbor_alltoall": {
        "ineighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw", "ineighbor_alltoallv", "ineighbor_alltoallw", "isend+irecv",
    },
}
# Also measured on the first 2, 4, 8, … ranks.
ON_FEWER = {"barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall"}


def check(found, ranks, divides=True):
    fewer = {f"ranks-{number}" for number in (2, 4, 8) if number < ranks}
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "collectives"}
    ways = {}
    for name in curves:
        operation, by = name.split("/")
        ways.setdefault(operation, set()).add(by)
    skipped = set() if divides else {"scatter+allgather", "reduce_scatter+allgather"}
    for operation, by in OPERATIONS.items():
        assert ways.pop(operation) == {"library"} | by - skipped | (fewer if operation in ON_FEWER else set()), operation
    assert not ways
    for name, curve in curves.items():
        assert (curve["pair"], curve["rank"], curve["moved"]) == (None, None, 0), name
        for p in curve["points"]:
            assert 0 < p["rank_min_ns"] <= p["rank_median_ns"] <= p["median_ns"] * 1.001, (name, p)
    return curves


@pytest.mark.parametrize("ranks", [2, 4])
def test_every_mpi(mpi, work, ranks):
    bench(mpi, work, limits=SMALL, ranks=ranks, experiments=("collectives",)).ok()
    found = profile(work)
    curves = check(found, ranks)
    # If it is named, sizes from 8 B on; a barrier has none. Eight bytes are one element, which cannot be divided.
    assert [p["x"] for p in curves["scan/library"]["points"]] == [8, 32, 128, 512]
    assert [p["x"] for p in curves["barrier/library"]["points"]] == [0]
    assert [p["x"] for p in curves["bcast/split"]["points"]] == [32, 128, 512]
    if ranks > 2:
        assert [p["x"] for p in curves["allgather/ranks-2"]["points"]] == [8, 1024]
    divided = [p["x"] for p in curves["bcast/scatter+allgather"]["points"]]
    assert divided == ([32, 128, 512]), divided
    ratios = [p for p in found["parameters"] if p["experiment"] == "collectives"]
    assert {p["id"] for p in ratios} >= {"allreduce_to_reduce+bcast", "scatter_to_bcast"}
    [dropped] = [p for p in ratios if p["id"] == "windows_dropped"]
    assert dropped["unit"] == "1" and 0 <= dropped["value"] <= 1
    assert all(p["unit"] == "x" and p["value"] > 0 for p in ratios if p is not dropped)
    page = run([MPISCOPE, "bench", "report", work / "host.machine", "--width", 120]).ok().out
    for words in ("collectives: times", "reduce_scatter+allgather", "alltoallv", "slowest rank"):
        assert words in page, page


def test_ranks_that_do_not_divide(openmpi, work):
    bench(openmpi, work, limits=SMALL, ranks=3, experiments=("collectives",)).ok()
    check(profile(work), 3, divides=False)


def test_sixteen_ranks(openmpi, work):
    bench(openmpi, work, limits=SMALL, ranks=16, experiments=("collectives",)).ok()
    check(profile(work), 16)


def test_a_slow_function_is_found(mpi, work):
    """Two functions are given the time that they lose; the report says what to call instead."""
    slow = mpi.compile("slow_allgather.c", work / "libslow.so", "-shared", "-fPIC")
    limits = ("--budget", 20, "--max-bytes", "8")
    bench(mpi, work, limits=limits, env={"LD_PRELOAD": str(slow)}, experiments=("collectives/allgather",)).ok()
    found = profile(work)
    assert {c["series"].split("/")[0] for c in found["curves"]} == {"allgather"}
    assert found["settings"]["experiments"] == ["collectives/allgather"]
    advised = {p["id"] for p in found["parameters"] if p["advice"]}
    assert {"allgather_to_gather+bcast", "allgather_to_alltoall"} <= advised
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    assert "USE INSTEAD" in page and "MPI_Alltoall instead of MPI_Allgather at 8 B" in " ".join(page.split()), page


def test_it_is_recorded(mpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", "--budget", 2, "--max-bytes", "32", "collectives"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=mpi.env)).ok().counts()
    curves = check(profile(work), 2)
    for way, function in (
        ("scan/library", "MPI_Scan"),
        ("reduce_scatter/library", "MPI_Reduce_scatter_block"),
        ("reduce_scatter/reduce_scatter_counts", "MPI_Reduce_scatter"),
        ("allgather/iallgather", "MPI_Iallgather"),
        ("neighbor_alltoall/library", "MPI_Neighbor_alltoall"),
        ("neighbor_alltoall/ineighbor_alltoall", "MPI_Ineighbor_alltoall"),
        ("exscan/library", "MPI_Exscan"),
        ("alltoall/alltoallw", "MPI_Alltoallw"),
        ("alltoall/ialltoallv", "MPI_Ialltoallv"),
        ("alltoall/ialltoallw", "MPI_Ialltoallw"),
        ("scatter/iscatterv", "MPI_Iscatterv"),
        ("gather/igatherv", "MPI_Igatherv"),
        ("allgather/iallgatherv", "MPI_Iallgatherv"),
        ("reduce_scatter/ireduce_scatter_counts", "MPI_Ireduce_scatter"),
        ("neighbor_allgather/neighbor_allgatherv", "MPI_Neighbor_allgatherv"),
        ("neighbor_allgather/ineighbor_allgatherv", "MPI_Ineighbor_allgatherv"),
        ("neighbor_alltoall/neighbor_alltoallv", "MPI_Neighbor_alltoallv"),
        ("neighbor_alltoall/neighbor_alltoallw", "MPI_Neighbor_alltoallw"),
        ("neighbor_alltoall/ineighbor_alltoallv", "MPI_Ineighbor_alltoallv"),
        ("neighbor_alltoall/ineighbor_alltoallw", "MPI_Ineighbor_alltoallw"),
    ):
        points = curves[way]["points"]
        assert counts[function] >= 2 * sum((p["samples"] + p["warm_up"]) * p["operations"] for p in points) > 0


def test_ranks_begin_with_a_skew(mpi, work):
    skew_us = 20_000
    bench(mpi, work, "--skew", skew_us, limits=SMALL, ranks=2, name="skewed.machine", experiments=("collectives/allreduce/library",)).ok()
    found = profile(work, "skewed.machine")
    for curve in found["curves"]:
        assert curve["skew_ns"] == skew_us * 1000
        # The time counts from the begin of the last rank: the skew is not in it. Had the ranks begun at once, nothing would be left.
        assert all(10 < p["min_ns"] < skew_us * 1000 / 2 and p["rank_min_ns"] is None for p in curve["points"]), curve
    page = run([MPISCOPE, "bench", "report", work / "skewed.machine", "--width", 120]).ok().out
    assert "times after the begin of the last rank; begins are spread over 20.0 ms" in page, page
    bench(mpi, work, limits=SMALL, ranks=2, experiments=("collectives/allreduce/library",)).ok()
    assert all("skew_ns" not in curve for curve in profile(work)["curves"])
    compared = run([MPISCOPE, "bench", "compare", work / "host.machine", work / "skewed.machine"])
    assert compared.code == 2 and "the same skew" in compared.err, str(compared)


def test_a_skew_is_for_collectives(openmpi, work):
    done = bench(openmpi, work, "--skew", 5, experiments=("pingpong",))
    assert done.code == 2 and "--skew is for the experiment collectives: add collectives" in done.err, str(done)
