"""`mpiscope bench steps`: how many transfers the exchange of a mesh takes."""

import pytest
from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

SMALL = ("--budget", 2, "--max-bytes", "64K")


def check(found, predicted):
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "steps"}
    assert set(curves) == {"one message", "send-irecv", "isend-irecv", "phased"}
    assert all([p["x"] for p in c["points"]] == [65536] for c in curves.values())
    assert curves["one message"]["moved"] == 1
    steps = {p["id"]: p["value"] for p in found["parameters"]}
    assert set(steps) == {"steps_blocking", "steps_nonblocking", "steps_phased", "predicted_steps"}
    assert steps["predicted_steps"] == predicted and all(value > 0 for value in steps.values())


def check_staircases(found, sends_by_rank):
    """Each rank sends once to each of its neighbours; blocking sends one after another."""
    staircases = {s["series"]: s["sends"] for s in found["staircases"]}
    assert set(staircases) == {"send-irecv", "isend-irecv", "phased"}
    for series, sends in staircases.items():
        by_rank = {rank: [s for s in sends if s["rank"] == rank] for rank in range(found["mpi"]["ranks"])}
        assert {rank: sorted(s["to"] for s in of) for rank, of in by_rank.items()} == sends_by_rank, series
        assert all(s["begin_ns"] <= s["end_ns"] < 60e9 for s in sends), series
        for of in by_rank.values():
            for before, after in zip(of, of[1:], strict=False):
                begins = "begin_ns" if series == "isend-irecv" else "end_ns"
                assert before[begins] <= after["begin_ns"], (series, of)


def test_four_ranks_of_every_mpi(mpi, work):
    bench(mpi, work, limits=SMALL, ranks=4, experiments=("steps",)).ok()
    found = profile(work)
    check(found, predicted=3)
    check_staircases(found, {0: [1, 2], 1: [0, 3], 2: [0, 3], 3: [1, 2]})
    page = run([MPISCOPE, "bench", "report", work / "host.machine", "--width", 120]).ok().out
    assert "ALL RANKS" in page and "steps: times" in page and "3.00 x" in page, page
    assert "steps: sends of each rank in one exchange" in page and "rank 3 |" in page, page


@pytest.mark.parametrize("ranks, predicted", [(5, 2), (16, 6)])
def test_other_meshes(openmpi, work, ranks, predicted):
    bench(openmpi, work, limits=SMALL, ranks=ranks, experiments=("steps",)).ok()
    found = profile(work)
    check(found, predicted)
    sent = {(s["rank"], s["to"]) for staircase in found["staircases"] for s in staircase["sends"]}
    assert sent == {(b, a) for a, b in sent} and {a for a, _ in sent} == set(range(ranks))


def test_it_is_recorded(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "steps"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 4, "-o", path, "--launcher", openmpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=openmpi.env)).ok().counts()
    curves = {c["series"]: c for c in profile(work)["curves"]}
    for series, call in (("isend-irecv", "MPI_Isend"), ("send-irecv", "MPI_Send")):
        made = sum((p["samples"] + p["warm_up"]) * p["operations"] for p in curves[series]["points"])
        # In a mesh of 2 × 2, each rank has two neighbours.
        assert counts[call] >= made * 4 * 2, counts
    assert counts["MPI_Send"] + counts["MPI_Isend"] == counts["MPI_Recv"] + counts["MPI_Irecv"], counts


def test_three_ranks_are_too_few(openmpi, work):
    done = bench(openmpi, work, ranks=3, experiments=("steps",))
    assert done.code == 2 and "steps needs at least 4 ranks, but this job has 3" in done.err, str(done)


def test_what_is_not_possible_is_left_out_of_the_standard_set(openmpi, work):
    bench(openmpi, work, experiments=(), limits=("--budget", 2, "--max-bytes", "1K")).ok()
    found = profile(work)
    assert "steps needs at least 4 ranks, but this job has 2: it was left out" in found["problems"]
    assert {c["experiment"] for c in found["curves"]} >= {"pingpong", "halo", "fanout"} and found["complete"]
