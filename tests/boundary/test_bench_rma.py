"""`mpiscope bench rma`: one-sided operations by each synchronisation and kind of window."""

import pytest
from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

SMALL = ("--budget", 2, "--max-bytes", "1K")
SYNCS = ("fence", "pscw", "lock", "flush")
LONG = ("put", "get", "accumulate")


def check(found):
    # In Open MPI 4.1.4, MPI_Compare_and_swap in memory of MPI_Win_allocate ends in a segmentation fault.
    is_broken = found["mpi"]["version"].startswith("Open MPI v4.")
    assert is_broken == any("MPI_Compare_and_swap" in problem for problem in found["problems"]), found["problems"]
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "rma"}
    expected = {
        f"{operation}/{sync}/{window}/{number}"
        for operation in (*LONG, "fetch-add", "swap") for sync in SYNCS
        for window in ("create", "allocate", "shared", "dynamic") for number in (1, 32)
        if not (is_broken and operation == "swap" and window == "allocate")
    }  # fmt: skip
    assert set(curves) == expected
    for name, curve in curves.items():
        sizes = [8, 1024] if name.split("/")[0] in LONG else [8]
        assert [p["x"] for p in curve["points"]] == sizes and curve["pair"] is curve["rank"] is None, name
        assert all(0 < p["rank_min_ns"] <= p["median_ns"] * 1.001 for p in curve["points"]), name
    ids = {p["id"] for p in found["parameters"] if p["experiment"] == "rma"}
    assert {"put_fence_create", "get_lock_allocate", "swap_flush_create", "put_lock_create_to_allocate", "get_fence_shared", "put_lock_dynamic_to_allocate"} <= ids
    return curves


@pytest.mark.parametrize("ranks", [2, 3])
def test_every_mpi(mpi, work, ranks):
    bench(mpi, work, limits=SMALL, ranks=ranks, experiments=("rma",)).ok()
    check(profile(work))
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    for words in ("rma: times", "fetch-add", "pscw", "allocate", "shared", "dynamic"):
        assert words in page, page
    assert all(len(line) <= 80 for line in page.splitlines()[1:]), page


def test_it_is_recorded(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "rma"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", openmpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=openmpi.env)).ok().counts()
    curves = check(profile(work))

    def made(operation):
        of = [(int(series.split("/")[3]), c["points"]) for series, c in curves.items() if series.startswith(operation)]
        return sum(number * (p["samples"] + p["warm_up"]) * p["operations"] for number, points in of for p in points)

    assert counts["MPI_Win_attach"] == counts["MPI_Win_create_dynamic"] == counts["MPI_Win_allocate_shared"] == 2
    for function, operation in (("MPI_Put", "put/"), ("MPI_Get", "get/"), ("MPI_Compare_and_swap", "swap/")):
        assert counts[function] >= 2 * made(operation) > 0, function
    assert counts["MPI_Win_lock"] == counts["MPI_Win_unlock"] and counts["MPI_Win_post"] == counts["MPI_Win_wait"]
    assert counts["MPI_Win_free"] >= 4


def test_wrong_results_are_a_failure(openmpi, work):
    wrong = openmpi.compile("wrong_put.c", work / "libwrong.so", "-shared", "-fPIC")
    done = bench(openmpi, work, limits=SMALL, env={"LD_PRELOAD": str(wrong)}, experiments=("rma",))
    assert done.code == 1 and "wrong result: element 0 of put/" in done.err, str(done)


def test_one_rank_has_no_target(mpi, work):
    done = bench(mpi, work, ranks=1, experiments=("rma",))
    assert done.code == 2 and "rma needs at least 2 ranks, but this job has 1" in done.err, str(done)
