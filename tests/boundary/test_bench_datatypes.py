"""`mpiscope bench datatypes`: derived datatypes against packing."""

from harness import MPISCOPE, Recording, run
from test_bench import bench, profile

SMALL = ("--budget", 3, "--max-bytes", "4K")
SHAPES = ("vector", "indexed", "struct", "subarray")
WAYS = {"send": ("derived", "loop", "MPI_Pack"), "receive": ("derived", "loop", "MPI_Unpack")}


def check(found, blocks):
    curves = {c["series"]: c for c in found["curves"] if c["experiment"] == "datatypes"}
    expected = {
        f"{shape}/{side}/{by}/{distance} blocks"
        for shape in SHAPES for side, ways in WAYS.items() for by in ways for distance in (2, 8)
    }  # fmt: skip
    assert set(curves) == expected
    for name, curve in curves.items():
        assert [p["x"] for p in curve["points"]] == blocks, name
        assert all(p["median_ns"] > 0 for p in curve["points"])
    ratios = [p for p in found["parameters"] if p["experiment"] == "datatypes"]
    assert len(ratios) == 4 * 2 * 2 * 2 * len(blocks) and all(p["unit"] == "x" and p["value"] > 0 for p in ratios)
    return curves


def test_every_mpi(mpi, work):
    bench(mpi, work, limits=SMALL, experiments=("datatypes",)).ok()
    check(profile(work), [8, 64, 512, 4096])
    page = run([MPISCOPE, "bench", "report", work / "host.machine"]).ok().out
    for words in ("datatypes: times", "MPI_Unpack", "vector_send_2_to_loop", "8 blocks"):
        assert words in page, page
    # The first line is what the MPI reports about itself.
    assert all(len(line) <= 80 for line in page.splitlines()[1:]), page


def test_short_messages(openmpi, work):
    bench(openmpi, work, limits=("--budget", 2, "--max-bytes", 100), experiments=("datatypes",)).ok()
    check(profile(work), [8, 64])


def test_it_is_recorded(mpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *SMALL, "datatypes"]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", mpi.launcher[0], "--", *words]
    counts = Recording(path, run(command, cwd=work, env=mpi.env)).ok().counts()
    curves = check(profile(work), [8, 64, 512, 4096])
    for function, way in (("MPI_Pack", "/MPI_Pack/"), ("MPI_Unpack", "/MPI_Unpack/")):
        points = [p for series, c in curves.items() if way in series for p in c["points"]]
        assert counts[function] >= sum((p["samples"] + p["warm_up"]) * p["operations"] for p in points) > 0
    # Types are freed, on both ranks.
    made = ("MPI_Type_vector", "MPI_Type_indexed", "MPI_Type_create_struct", "MPI_Type_create_resized")
    assert counts["MPI_Type_free"] == sum(counts[name] for name in (*made, "MPI_Type_create_subarray")) > 0


def test_wrong_bytes_are_a_failure(openmpi, work):
    wrong = openmpi.compile("flip_byte.c", work / "libflip.so", "-shared", "-fPIC", "-ldl")
    done = bench(openmpi, work, limits=SMALL, env={"LD_PRELOAD": str(wrong)}, experiments=("datatypes",))
    # 2: the first place already is wrong, so that nothing was measured.
    assert done.code in (1, 2) and "wrong bytes: byte" in done.err, str(done)


def test_it_is_made_only_if_it_is_named(openmpi, work):
    done = bench(openmpi, work, ranks=1, experiments=("datatypes",))
    assert done.code == 2 and "datatypes needs at least 2 ranks" in done.err, str(done)
    listed = run([MPISCOPE, "bench", "list"]).ok().out
    about = listed[listed.index("\ndatatypes\n") :]
    assert "made        only if it is named" in about[: about.index("source")], listed
