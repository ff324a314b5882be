"""`mpiscope bench overlap`: computing during a transfer."""

from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

SMALL = ("--budget", 2, "--max-bytes", "64K")
SIZES = [1 << 10, 16 << 10, 64 << 10]
TESTS = ["test-2us", "test-10us", "test-50us"]


def check(found, progress, sizes=SIZES):
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "overlap"}
    parts = {f"{by}/{part}" for by in progress for part in ("both", "computing")}
    assert set(curves) == {"alone/exchange", "alone/computing"} | parts
    for name, curve in curves.items():
        assert [p["x"] for p in curve["points"]] == sizes and curve["pair"] is not None, name
        assert all(p["median_ns"] > 0 for p in curve["points"]), name
    ids = {p["id"] for p in found["parameters"] if p["experiment"] == "overlap"}
    assert ids == {f"{id}_{by}" for id in ("hidden", "computing_lost") for by in progress}
    return curves


def test_every_mpi(mpi, work):
    bench(mpi, work, limits=SMALL, experiments=("overlap",)).ok()
    found = profile(work)
    check(found, ["itself", *TESTS])
    assert found["settings"]["with_threads"] is False
    assert any("option --threads" in problem for problem in found["problems"]), found["problems"]
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    for words in ("overlap: times", "hidden_itself", "computing_lost_test-10us", "progress by"):
        assert words in page, page
    assert all(len(line) <= 80 for line in page.splitlines()[1:]), page


def test_a_thread_that_communicates(mpi, work):
    bench(mpi, work, "--threads", limits=SMALL, experiments=("overlap",)).ok()
    found = profile(work)
    check(found, ["itself", *TESTS, "thread"])
    assert found["settings"]["with_threads"] is True
    assert "MPI_THREAD_MULTIPLE" in run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out


def test_an_mpi_without_threads_is_reported(openmpi, work):
    single = openmpi.compile("single_thread.c", work / "libsingle.so", "-shared", "-fPIC")
    env = {"LD_PRELOAD": str(single)}
    bench(openmpi, work, "--threads", limits=SMALL, env=env, experiments=("overlap",)).ok()
    found = profile(work)
    check(found, ["itself", *TESTS])
    assert any("does not provide MPI_THREAD_MULTIPLE" in problem for problem in found["problems"]), found["problems"]


def test_it_is_recorded(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "--threads", "overlap"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", openmpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=openmpi.env)).ok().counts()
    curves = check(profile(work), ["itself", *TESTS, "thread"])
    points = [p for series, c in curves.items() if series != "alone/computing" for p in c["points"]]
    assert counts["MPI_Isend"] >= 2 * sum((p["samples"] + p["warm_up"]) * p["operations"] for p in points)
    assert counts["MPI_Isend"] == counts["MPI_Irecv"] and counts["MPI_Testall"] > 0, counts


def test_one_rank_has_no_partner(openmpi, work):
    done = bench(openmpi, work, ranks=1, experiments=("overlap",))
    assert done.code == 2 and "overlap needs at least 2 ranks, but this job has 1" in done.err, str(done)
