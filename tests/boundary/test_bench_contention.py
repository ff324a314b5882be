"""`mpiscope bench contention`: pairs that exchange at once."""

import pytest
from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

SMALL = ("--budget", 2, "--max-bytes", "8K")


# Messages that each rank sends in an exchange of all ranks.
SHAPES = {"ring": 2, "grid": 4}


def check(found, numbers, shapes=SHAPES):
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "contention"}
    assert set(curves) == {str(pairs) for pairs in numbers} | set(shapes)
    for name, curve in curves.items():
        assert [p["x"] for p in curve["points"]] == [8, 8192] and curve["moved"] == shapes.get(name, 2), name
        assert curve["pair"] is curve["rank"] is None
        assert all(0 < p["rank_min_ns"] <= p["median_ns"] * 1.001 for p in curve["points"]), name
    ids = {p["id"] for p in found["parameters"] if p["experiment"] == "contention"}
    assert ids == {f"pairs_{pairs}_to_1" for pairs in numbers[1:]} | ({"grid_to_ring"} if shapes else set())
    return curves


def test_every_mpi(mpi, work):
    bench(mpi, work, limits=SMALL, ranks=4, experiments=("contention",)).ok()
    check(profile(work), [1, 2])
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    assert "contention: times, from 4.00 KiB on rates" in page and "pairs_2_to_1" in page, page
    assert all(len(line) <= 80 for line in page.splitlines()[1:]), page


@pytest.mark.parametrize("ranks, numbers, shapes", [(7, [1, 2, 3], {}), (16, [1, 2, 4, 8], SHAPES)])
def test_other_numbers_of_ranks(openmpi, work, ranks, numbers, shapes):
    bench(openmpi, work, limits=SMALL, ranks=ranks, experiments=("contention",)).ok()
    check(profile(work), numbers, shapes)


def test_it_is_recorded(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "contention"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 4, "-o", path, "--launcher", openmpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=openmpi.env)).ok().counts()
    curves = check(profile(work), [1, 2])
    made = [
        # Of all four ranks, or of both ranks of each pair.
        (4 * SHAPES[name] if name in SHAPES else 2 * int(name)) * (p["samples"] + p["warm_up"]) * p["operations"]
        for name, c in curves.items() for p in c["points"]
    ]
    assert counts["MPI_Isend"] == counts["MPI_Irecv"] >= sum(made) > 0, counts


def test_three_ranks_are_too_few(openmpi, work):
    done = bench(openmpi, work, ranks=3, experiments=("contention",))
    assert done.code == 2 and "contention needs at least 4 ranks, but this job has 3" in done.err, str(done)
