"""`mpiscope bench threads`: threads against processes."""

import pytest
from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

SMALL = ("--budget", 2, "--max-bytes", "8K")


def check(found, pairs):
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "threads"}
    assert set(curves) == {f"threads/{n}" for n in (1, 2, 4)} | {f"ranks/{n}" for n in pairs}
    for name, curve in curves.items():
        assert [p["x"] for p in curve["points"]] == [8, 8192] and curve["pair"] is curve["rank"] is None, name
        assert all(0 < p["rank_min_ns"] <= p["median_ns"] * 1.001 for p in curve["points"]), name
    ids = {p["id"] for p in found["parameters"] if p["experiment"] == "threads"}
    rates = {f"rate_threads_{n}" for n in (1, 2, 4)} | {f"rate_ranks_{n}" for n in pairs}
    assert ids == rates | {f"threads_to_ranks_{n}" for n in pairs}
    assert found["settings"]["with_threads"] is True
    return curves


@pytest.mark.parametrize("ranks, pairs", [(2, [1]), (4, [1, 2])])
def test_every_mpi(mpi, work, ranks, pairs):
    bench(mpi, work, limits=SMALL, ranks=ranks, experiments=("threads",)).ok()
    check(profile(work), pairs)
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    for words in ("threads: times", "threads_to_ranks_1", "MPI_THREAD_MULTIPLE"):
        assert words in page, page
    assert all(len(line) <= 80 for line in page.splitlines()[1:]), page


def test_an_odd_number_of_ranks(openmpi, work):
    bench(openmpi, work, limits=SMALL, ranks=5, experiments=("threads",)).ok()
    check(profile(work), [1, 2])


def test_an_mpi_without_threads_is_reported(openmpi, work):
    single = openmpi.compile("single_thread.c", work / "libsingle.so", "-shared", "-fPIC")
    done = bench(openmpi, work, limits=SMALL, env={"LD_PRELOAD": str(single)}, experiments=("threads",))
    assert done.code == 2 and "this MPI does not provide MPI_THREAD_MULTIPLE" in done.err, str(done)


def test_it_is_recorded(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "threads"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", openmpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=openmpi.env)).ok().counts()
    curves = check(profile(work), [1])
    made = [
        2 * int(series.split("/")[1]) * (p["samples"] + p["warm_up"]) * p["operations"]
        for series, c in curves.items() for p in c["points"]
    ]  # fmt: skip
    assert counts["MPI_Isend"] == counts["MPI_Irecv"] >= sum(made) > 0, counts


def test_one_rank_has_no_other(openmpi, work):
    done = bench(openmpi, work, ranks=1, experiments=("threads",))
    assert done.code == 2 and "threads needs at least 2 ranks, but this job has 1" in done.err, str(done)
