"""`mpiscope bench start`: times of the start and memory of a process."""

from harness import MPISCOPE, Recording, run
from test_bench import YIELDING, bench, parameters, profile

START = ("--budget", 2, "start")


def check(found):
    named = parameters(found)
    # Open MPI 4.1 cannot make a window of one process.
    several = {"win_create"} if found["mpi"]["ranks"] > 1 else set()
    for id in {"init", "init_median", "comm_dup", "comm_split"} | several:
        assert 0 < named[id]["value"] < 600e9, named[id]
    assert named["init_median"]["value"] <= named["init"]["value"]
    # An MPI maps memory; Linux shows it since 4.14.
    if "memory_before_init" in named:
        assert 0 < named["memory_before_init"]["value"] < named["memory_after_init"]["value"]
        assert named["memory_connected"]["value"] > 0


def test_two_ranks_of_every_mpi(mpi, work):
    mpi.bare(2, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START, cwd=work).ok()
    found = profile(work)
    check(found)
    assert parameters(found)["memory_of_connection"]["value"] >= 0
    assert {(c["series"], c["axis"]["unit"]) for c in found["curves"]} == {
        ("comm_dup", "ranks"), ("comm_split", "ranks"), ("win_create", "ranks"),
    }  # fmt: skip
    assert all([p["x"] for p in c["points"]] == [2] for c in found["curves"])


def test_one_rank(mpi, work):
    mpi.bare(1, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START, cwd=work).ok()
    found = profile(work)
    check(found)
    assert not {"memory_of_connection", "memory_partners_1", "win_create"} & set(parameters(found))


def test_memory_by_number_of_partners(mpi, work):
    """Eight ranks, and a library that uses 1 MiB at the first message to each of them."""
    hungry = mpi.compile("hungry_send.c", work / "libhungry.so", "-shared", "-fPIC")
    bench(mpi, work, ranks=8, env={"LD_PRELOAD": f"{hungry} {YIELDING}"}, experiments=("start",)).ok()
    named = parameters(profile(work))
    steps = [named[f"memory_partners_{partners}"]["value"] for partners in (1, 2, 4, 7)]
    assert steps == sorted(steps) and 6 << 20 <= steps[3] - steps[0] < 8 << 20, steps
    slope = named["memory_of_connection"]
    assert slope["low"] <= slope["value"] <= slope["high"], slope
    assert 0.9 * 2**20 < slope["low"] and slope["high"] < 1.3 * 2**20, slope


def test_memory_of_the_mpi_itself(mpi, work):
    bench(mpi, work, ranks=4, experiments=("start",)).ok()
    named = parameters(profile(work))
    assert {f"memory_partners_{partners}" for partners in (1, 2, 3)} <= set(named)
    assert named["memory_of_connection"]["low"] is not None and -(64 << 10) < named["memory_of_connection"]["value"] < 1 << 20, named


def test_calls_by_number_of_ranks(mpi, work):
    mpi.bare(4, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START, cwd=work).ok()
    found = profile(work)
    check(found)
    named = parameters(found)
    for curve in found["curves"]:
        assert [p["x"] for p in curve["points"]] == [2, 4], curve
        # The parameter is that of all ranks.
        assert named[curve["series"]]["value"] == curve["points"][1]["median_ns"], curve


def test_it_is_recorded(mpi, work):
    """The collector has the calls that the samples imply, on both ranks."""
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *START]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=mpi.env)).ok().counts()
    sampled = {}
    for curve in profile(work)["curves"]:
        sampled[curve["series"]] = 2 * sum((p["samples"] + p["warm_up"]) * p["operations"] for p in curve["points"])
    assert counts["MPI_Comm_dup"] >= sampled["comm_dup"] > 0
    assert counts["MPI_Comm_split"] >= sampled["comm_split"] > 0
    assert counts["MPI_Win_create"] >= sampled["win_create"] > 0
    # What is made is freed.
    assert counts["MPI_Comm_free"] >= sampled["comm_dup"] + sampled["comm_split"]
    assert counts["MPI_Win_free"] >= sampled["win_create"]
