"""`mpiscope bench bcast`: MPI_Bcast against messages between two ranks."""

import pytest
from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

SMALL = ("--budget", 2, "--max-bytes", "32K")
SIZES = [8, 1 << 10, 8 << 10, 32 << 10]
WAYS = {"library", "binomial", "chain", "pipeline-8K", "scatter+allgather"}


def check(found):
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "bcast"}
    # 64 KiB are not reached, so that there is no pipeline of such segments.
    assert set(curves) == {f"1/{way}" for way in WAYS} | {f"16/{way}" for way in ("library", "binomial", "chain")}
    for name, curve in curves.items():
        sizes = [32 << 10] if name == "1/pipeline-8K" else SIZES
        assert [p["x"] for p in curve["points"]] == sizes and curve["pair"] is curve["rank"] is None, name
        for p in curve["points"]:
            assert 0 < p["rank_min_ns"] <= p["rank_median_ns"] <= p["median_ns"] * 1.001, (name, p)
    named = {}
    for p in found["parameters"]:
        named.setdefault(p["id"], []).append(p)
    assert {"library_to_binomial", "library_to_scatter+allgather", "sequence_binomial_to_chain"} <= set(named)
    [predicted] = named["predicted_sequence"]
    [dropped] = named["windows_dropped"]
    assert 0 <= dropped["value"] <= 1 and "clock_error" not in named
    return curves, predicted["value"]


@pytest.mark.parametrize("ranks, predicted", [(2, 1.0), (4, 32 / 18)])
def test_every_mpi(mpi, work, ranks, predicted):
    bench(mpi, work, limits=SMALL, ranks=ranks, experiments=("bcast",)).ok()
    assert check(profile(work))[1] == pytest.approx(predicted)
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    for words in ("bcast: times", "scatter+allgather", "pipeline-8K", "predicted_sequence"):
        assert words in page, page
    assert all(len(line) <= 80 for line in page.splitlines()[1:]), page


@pytest.mark.parametrize("ranks", [3, 7, 16])
def test_other_numbers_of_ranks(openmpi, work, ranks):
    bench(openmpi, work, limits=SMALL, ranks=ranks, experiments=("bcast",)).ok()
    check(profile(work))


def test_a_slow_function_is_found(mpi, work):
    slow = mpi.compile("slow_bcast.c", work / "libslow.so", "-shared", "-fPIC")
    limits = ("--budget", 12, "--max-bytes", "8")
    wanted = {"library_to_binomial", "library_to_chain", "sequence_library_to_chain"}
    # On a busy machine, messages of ranks that lose their cores take as long.
    for attempt in range(3):
        place = work / str(attempt)
        place.mkdir()
        bench(mpi, place, limits=limits, env={"LD_PRELOAD": str(slow)}, experiments=("bcast",)).ok()
        advised = {p["id"] for p in profile(place)["parameters"] if p["advice"]}
        if wanted <= advised:
            break
    assert wanted <= advised
    page = run([MPISCOPE, "bench", "report", place / "host.machine"]).ok().out
    assert "a binomial tree of messages instead of MPI_Bcast at 8 B" in " ".join(page.split()), page


def test_wrong_bytes_are_a_failure(openmpi, work):
    wrong = openmpi.compile("flip_byte.c", work / "libflip.so", "-shared", "-fPIC", "-ldl")
    done = bench(openmpi, work, limits=SMALL, env={"LD_PRELOAD": str(wrong)}, experiments=("bcast",))
    # 2: the first place already is wrong, so that nothing was measured.
    assert done.code in (1, 2) and "wrong bytes: byte" in done.err, str(done)


def test_it_is_recorded(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "bcast"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", openmpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=openmpi.env)).ok().counts()
    curves, _ = check(profile(work))
    made = {
        series: sum((p["samples"] + p["warm_up"]) * p["operations"] for p in c["points"])
        for series, c in curves.items()
    }
    assert counts["MPI_Bcast"] >= 2 * (made["1/library"] + 16 * made["16/library"]) > 0


def test_one_rank_has_no_other(openmpi, work):
    done = bench(openmpi, work, ranks=1, experiments=("bcast",))
    assert done.code == 2 and "bcast needs at least 2 ranks, but this job has 1" in done.err, str(done)
