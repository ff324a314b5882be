"""`mpiscope predict RUN RUN… --ranks`: runs of different sizes of a program whose scaling is known, under both MPIs.

How right predictions are depends on the machine: `make predicted` measures that. Here they must be what the program does, roughly."""

import json

import jsonschema
import pytest

from harness import MPISCOPE, ROOT, run

SCHEMA = json.loads((ROOT / "schemas/scaling.schema.json").read_text())


@pytest.fixture
def runs(work):
    """Records `scaled` with so many ranks each."""

    def record(mpi, kind, ranks, options=()):
        program = mpi.compile(ROOT / "tests/predicted/scaled.c", work / f"scaled-{mpi.name}")
        paths = []
        for count in ranks:
            path = work / f"{kind}{count}-{len(paths)}.mpiscope"
            words = [MPISCOPE, "run", "-n", count, "-o", path, *options, "--", program, kind, 4]
            run(words, cwd=work, env=mpi.env).ok()
            paths.append(path)
        return paths

    return record


def predict(paths, *options):
    found = json.loads(run([MPISCOPE, "predict", *paths, "--json", *options]).ok().out)
    jsonschema.validate(found, SCHEMA)
    return found


def refused(paths, *options):
    done = run([MPISCOPE, "predict", *paths, *options])
    assert (done.code, done.out) == (2, ""), done
    return done.err


def test_strong_scaling_is_recognised_and_predicted(mpi, runs):
    found = predict(runs(mpi, "strong", [1, 2, 4]), "--ranks", "8,1000")
    # On a busy machine, sleeping takes longer; the unit tests have the limits.
    assert found["scaling"] in ("strong", "neither") and -1.2 < found["computing_exponent"] < -0.4
    assert [of["ranks"] for of in found["measured"]] == [1, 2, 4]
    for of in found["measured"]:
        parts = of["computing_ns"] + of["imbalance_ns"] + of["communication_ns"]
        assert abs(parts / of["time_ns"] - 1) < 1e-6
    eight, many = found["predicted"]
    # 4 steps of 200 ms / 8 + 10 ms that each rank computes.
    assert 0.5 < eight["computing_ns"]["value"] / 140e6 < 2
    assert eight["time_ns"]["low"] < eight["time_ns"]["value"] < eight["time_ns"]["high"]
    assert (eight["is_far"], many["is_far"]) == (False, True)
    assert many["efficiency"]["value"] < eight["efficiency"]["value"] < 1
    # Calls and bytes are counted, whatever the machine does.
    sends = [site for site in found["sites"] if site["call"] == "MPI_Sendrecv"]
    for site in sends:
        assert [round(part["coefficient"]) for part in site["calls"]["parts"]] == [4]
        assert [round(part["coefficient"]) for part in site["bytes"]["parts"]] == [4 * 4096 * 8]
    assert found["dominates"]["ranks"] < 1000
    # Of the computing, what falls is before the exchange.
    before = {(of["call"], of["place"].split()[0]): of for of in found["computing_before"]}
    assert "falls with" in before["MPI_Sendrecv", "borders"]["growth"], before


def test_weak_scaling_is_recognised_without_events(openmpi, runs):
    paths = runs(openmpi, "weak", [1, 2, 4], options=["--trace", "off"])
    found = predict(paths, "--ranks", "16", "--size", "1,2,4")
    assert found["computing_before"] == []
    assert found["scaling"] == "weak" and abs(found["computing_exponent"]) < 0.5
    # 4 steps of 60 ms.
    assert 0.5 < found["predicted"][0]["computing_ns"]["value"] / 240e6 < 4
    assert any("MPI_Recv" == site["call"] and site["growth"].startswith("grows with") for site in found["sites"])


def test_decompositions_of_the_grid_are_compared(openmpi, work):
    def record(name, program, *options):
        paths = []
        for count in (2, 4):
            paths.append(work / f"{name}{count}.mpiscope")
            words = [MPISCOPE, "run", "-n", count, "-o", paths[-1], *options, "--", *program]
            run(words, cwd=work, env=openmpi.env).ok()
        return paths

    # A Cartesian communicator needs no events: 16 doubles and 64 doubles of 10 exchanges go along the axes of 2 x 2 ranks.
    halo = [openmpi.example("halo2d"), "--iters", 10, "--nx", 16, "--ny", 64]
    found = predict(record("halo", halo, "--trace", "off"), "--ranks", "16")["decompositions"]
    assert (found["dims"], found["source"]) == ([2, 2], "cartesian communicator")
    shapes = {sum(extent > 1 for extent in shape["dims"]): shape for shape in found["at"][0]["shapes"]}
    assert set(shapes) == {1, 2, 3} and shapes[2]["surface"] == 1
    assert [shapes[axes]["is_assumed"] for axes in (1, 2, 3)] == [False, False, True]
    assert shapes[1]["bytes"] > shapes[2]["bytes"] and shapes[1]["messages"] < shapes[2]["messages"]
    # A ring that only its messages show.
    program = openmpi.compile(ROOT / "tests/predicted/scaled.c", work / "scaled")
    found = predict(record("ring", [program, "weak", 2]), "--ranks", "8,7")["decompositions"]
    assert (found["dims"], found["source"]) == ([4], "messages")
    assert [[shape["dims"] for shape in of["shapes"]] for of in found["at"]][1] == [[7, 1, 1]]


def test_the_text_fits_a_terminal(openmpi, runs):
    paths = runs(openmpi, "weak", [1, 2])
    done = run([MPISCOPE, "predict", *paths, "--ranks", "4,64,1024", "--size", "1,2"]).ok()
    lines = done.out.splitlines()
    assert lines[0].startswith("THE RUNS") and "PREDICTED" in lines, done.out
    assert max(map(len, lines)) <= 80, done.out
    text = " ".join(lines)
    assert "Weak scaling: the problem grows with the ranks" in text
    assert "Weak evidence: with two sizes" in text and "far beyond the largest run" in text


def test_problem_sizes(openmpi, runs):
    paths = runs(openmpi, "strong", [1, 2])
    fixed = predict(paths, "--ranks", "4", "--size", "1000,1000")
    assert (fixed["scaling"], fixed["predicted"][0]["size"]) == ("strong", 1000)
    assert "all runs have the same problem size" in refused(
        paths, "--ranks", "4", "--size", "1000,1000", "--at-size", "2000"
    )
    assert predict(paths, "--ranks", "4", "--size", "1e3,2e3")["predicted"][0]["size"] == 4000
    assert "--at-size" in refused(paths, "--ranks", "4", "--size", "1000,1500")
    assert "--size gives 1 problem size(s) for 2 runs" in refused(paths, "--ranks", "4", "--size", "1000")
    assert "--at-size gives 2 sizes for 3 predictions" in refused(
        paths, "--ranks", "4,8,16", "--size", "1,3", "--at-size", "4,5"
    )


def test_what_cannot_be_compared_is_explained(openmpi, runs, work):
    one, two, again = runs(openmpi, "weak", [1, 2, 2])
    assert "at least two runs" in refused([one], "--ranks", "4")
    assert "all runs have 2 rank(s)" in refused([two, again], "--ranks", "4")
    assert "for scaling add --ranks" in refused([one, two])
    for wrong in ("0", "-1", "4,x", "2000000"):
        assert "--ranks" in refused([one, two], f"--ranks={wrong}")
    assert "above 0" in refused([one, two], "--ranks", "4", "--size", "1,0")
    other = openmpi.record(4, openmpi.example("halo2d"), "--iters", 5, cwd=work).ok().path
    assert "do not look like runs of one program" in refused([two, other], "--ranks", "8")
    assert "no such run" in refused([one, work / "none.mpiscope"], "--ranks", "4")


def test_a_damaged_run_is_reported(openmpi, runs, work):
    one, two, four = runs(openmpi, "weak", [1, 2, 4])
    (four / "ranks").joinpath(sorted(path.name for path in (four / "ranks").iterdir())[-1]).write_bytes(b"nothing")
    notes = predict([one, two, four], "--ranks", "8")["notes"]
    assert any("3 of 4 ranks are in the run" in note for note in notes), notes
    crashed = openmpi.record(2, openmpi.example("crash"), cwd=work).path
    assert "did not end normally" in refused([one, crashed], "--ranks", "8")
