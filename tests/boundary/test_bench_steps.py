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


def test_four_ranks_of_every_mpi(mpi, work):
    bench(mpi, work, limits=SMALL, ranks=4, experiments=("steps",)).ok()
    check(profile(work), predicted=3)
    page = run([MPISCOPE, "bench", "report", work / "host.machine", "--width", 120]).ok().out
    assert "ALL RANKS" in page and "steps: times" in page and "3.00 x" in page, page


@pytest.mark.parametrize("ranks, predicted", [(5, 2), (16, 6)])
def test_other_meshes(openmpi, work, ranks, predicted):
    bench(openmpi, work, limits=SMALL, ranks=ranks, experiments=("steps",)).ok()
    check(profile(work), predicted)


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
