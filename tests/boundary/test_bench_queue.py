"""`mpiscope bench queue`: matching in long queues, and what unexpected messages cost."""

from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

SMALL = ("--budget", 2)
DEPTHS = [1, 4, 16, 64, 256, 1024, 4096]


def check(found):
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "queue"}
    assert set(curves) == {"posted", "unexpected"}
    for curve in curves.values():
        assert [p["x"] for p in curve["points"]] == DEPTHS and curve["axis"]["unit"] == "entries"
        assert curve["pair"] is not None and all(p["median_ns"] > 0 for p in curve["points"])
    named = {}
    for p in found["parameters"]:
        named.setdefault(p["id"], []).append(p)
    assert {"entry_posted_64", "entry_posted_4096", "entry_unexpected_64", "entry_unexpected_4096"} <= set(named)
    for id in ("unexpected_memory_256", "unexpected_memory_4096"):
        assert all(p["unit"] == "B" and p["value"] >= 0 for p in named.get(id, [])), named[id]
    # A machine that is too busy may not find them out.
    for p in named.get("sends_without_receiver", []):
        assert p["unit"] == "messages" and 0 <= p["value"] <= 4096
    return curves, named


def slowdown(curves):
    """How many times as long a round trip takes with 4,096 entries as with one."""
    return {series: c["points"][-1]["median_ns"] / c["points"][0]["median_ns"] for series, c in curves.items()}


def test_every_mpi(mpi, work):
    # Both of these MPIs keep lists, so 4,096 entries are slower than one; but ranks may lose their cores while there is one.
    for attempt in range(5):
        bench(mpi, work, "--force", limits=SMALL, experiments=("queue",)).ok()
        found = profile(work)
        curves, named = check(found)
        if slowdown(curves)["posted"] > 1.5:
            break
    else:
        raise AssertionError(f"{slowdown(curves)}, {attempt + 1} times")
    # An unexpected message is at least somewhere: of 512 B, 4,096 need 2 MiB.
    grown = {p["from_bytes"]: p["value"] for p in named["unexpected_memory_4096"]}
    assert set(grown) == {8, 64, 512, 4096} and max(grown.values()) > 32, grown
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    for words in ("queue: times", "posted receives", "unexpected messages", "4,096", "sends_without_receiver"):
        assert words in page, page
    # The first line is what the MPI reports about itself.
    assert all(len(line) <= 80 for line in page.splitlines()[1:]), page


def test_sixteen_ranks_measure_one_pair(openmpi, work):
    bench(openmpi, work, limits=SMALL, ranks=16, experiments=("queue",)).ok()
    check(profile(work))


def test_small_messages_only(openmpi, work):
    bench(openmpi, work, limits=(*SMALL, "--max-bytes", 64), experiments=("queue",)).ok()
    _, named = check(profile(work))
    assert {p["from_bytes"] for p in named["unexpected_memory_256"]} == {8, 64}


def test_it_is_recorded(mpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "queue"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=mpi.env)).ok().counts()
    curves, _ = check(profile(work))
    made = [(p["x"], p["samples"] + p["warm_up"], p["operations"]) for c in curves.values() for p in c["points"]]
    assert counts["MPI_Isend"] >= sum(depth * samples for depth, samples, _ in made)
    assert counts["MPI_Send"] >= 2 * sum(samples * (trips + 1) for _, samples, trips in made)
    assert counts["MPI_Send"] + counts["MPI_Isend"] == counts["MPI_Recv"] + counts["MPI_Irecv"], counts


def test_wrong_bytes_are_a_failure(openmpi, work):
    wrong = openmpi.compile("flip_byte.c", work / "libflip.so", "-shared", "-fPIC", "-ldl")
    done = bench(openmpi, work, limits=SMALL, env={"LD_PRELOAD": str(wrong)}, experiments=("queue",))
    assert done.code == 1 and "wrong bytes: byte 0 of a message of 4096 bytes (unexpected" in done.err, str(done)


def test_one_rank_has_no_partner(mpi, work):
    done = bench(mpi, work, ranks=1, experiments=("queue",))
    assert done.code == 2 and "queue needs at least 2 ranks, but this job has 1" in done.err, str(done)
