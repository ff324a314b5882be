"""`mpiscope env algorithms`: which algorithms a run's collective calls used, beside what Open MPI is seen to do."""

import json
import re

import jsonschema
import pytest
from conftest import MPIS
from harness import MPISCOPE, ROOT, run

SCHEMA = json.loads((ROOT / "schemas/algorithms.schema.json").read_text())
# Names of functions in Open MPI's library where the parameters have other ones.
NAMES = {
    "recursivedoubling": "recursive_doubling", "recursivehalving": "recursive_halving", "basic_recursivehalving": "recursive_halving",
    "redscat_allgather": "rabenseifner", "redscat_gather": "rabenseifner", "ring_segmented": "segmented_ring",
    "neighborexchange": "neighbor", "two_procs": "two_proc", "bintree": "binary_tree", "split_bintree": "split_binary_tree",
    "doublering": "double_ring", "nonoverlapping": "non-overlapping",
}
# One algorithm, two names, by operation.
LINEAR = {"basic_linear": "linear", "non-overlapping": "nonoverlapping"}


def program(mpi, work):
    return mpi.compile("collective_sizes.c", work / "collective_sizes")


def answer(path, *words):
    done = run([MPISCOPE, "env", "algorithms", path, "--json", *words]).ok()
    found = json.loads(done.out)
    jsonschema.validate(found, SCHEMA)
    return found


def inferred(found):
    """Function and bytes, with the name of the algorithm of those that have one step."""
    names = {}
    for row in found["calls"]:
        if row["algorithm"]["is"] == "known" and len(row["algorithm"]["parts"]) == 1:
            name = row["algorithm"]["parts"][0]["algorithm"]
            names[row["function"], row["bytes"]] = LINEAR.get(name, name)
    return names


def observed(path):
    """The same of what was seen: the last algorithm of the operation that was announced, as one may call another."""
    names, call = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("= "):
            _, function, size = line.split()
            call = (function, int(size))
        elif call:
            operation = call[0].removeprefix("MPI_").lower()
            match = re.fullmatch(rf"{operation}_(?:intra_)?(\w+)", line)
            # MPI_Reduce_scatter and its block variant begin like MPI_Reduce.
            if match and not (operation in ("reduce", "reduce_scatter") and match[1].startswith(("scatter_", "block_"))):
                name = NAMES.get(match[1], match[1])
                names[call] = LINEAR.get(name, name)
    return names


@pytest.mark.parametrize("ranks", [2, 3, 4, 5])
def test_open_mpi_does_what_is_inferred(ranks, work):
    mpi = MPIS["openmpi"]
    own, library = program(mpi, work), work / "libobserved.so"
    mpi.compile("observed_algorithms.c", library, "-shared", "-fPIC")
    log = work / "observed"
    mpi.bare(ranks, "env", f"LD_PRELOAD={library}", own, cwd=work, env={"OBSERVED": str(log)}).ok()
    seen = observed(log)
    assert len(seen) > 100
    recording = mpi.record_under_launcher(ranks, own, cwd=work).ok()
    said = inferred(answer(recording.path))
    # Of rooted operations, the root's calls are rows of their own only if their arguments differ.
    assert {call: said.get(call) for call in seen} == seen


def test_settings_of_the_run_count(work):
    mpi = MPIS["openmpi"]
    forced = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_bcast_algorithm": "6"}
    recording = mpi.record_under_launcher(2, program(mpi, work), cwd=work, env=forced).ok()
    rows = [row for row in answer(recording.path)["calls"] if row["function"] == "MPI_Bcast"]
    assert rows and all(row["algorithm"]["parts"][0]["algorithm"] == "binomial" for row in rows)
    assert all("OMPI_MCA_coll_tuned_bcast_algorithm=6" in row["algorithm"]["by"] for row in rows)
    done = run([MPISCOPE, "env", "algorithms", recording.path]).ok()
    assert "inferred" in done.out and "binomial" in done.out and "--all" in done.out


def test_mpich_composes_its_operations(work):
    mpi = MPIS["mpich"]
    recording = mpi.record_under_launcher(2, program(mpi, work), cwd=work).ok()
    found = answer(recording.path, "--gains")
    by_call = {(row["function"], row["bytes"]): row for row in found["calls"]}
    assert all(row["algorithm"]["is"] == "known" for row in found["calls"]), found
    (part,) = by_call["MPI_Allreduce", 8]["algorithm"]["parts"]
    assert (part["algorithm"], part["place"]) == ("recursive_doubling", "all")
    (part,) = by_call["MPI_Bcast", 8]["algorithm"]["parts"]
    assert (part["algorithm"], part["place"]) == ("binomial", "within-hosts")
    assert [part["operation"] for part in by_call["MPI_Barrier", 0]["algorithm"]["parts"]] == [None, "bcast"]
    whens = [other["when"] for other in by_call["MPI_Allgather", 8]["others"]]
    assert "from 262,144 B" in whens and "with 3 ranks" in whens, whens
    assert isinstance(found["gains"], list)


def test_mpich_uses_shared_memory_when_it_is_inferred(wheel_mpich, work):
    """Its algorithms cannot be seen from outside, but the memory that one of them maps can."""
    own = wheel_mpich.compile("shared_reductions.c", work / "shared_reductions")
    done = wheel_mpich.bare(2, own, cwd=work).ok()
    assert [int(line) for line in done.out.split()] == [0, 0, 0, 0, 1, 1]
    recording = wheel_mpich.record_under_launcher(2, own, cwd=work).ok()
    (row,) = [row for row in answer(recording.path)["calls"] if row["function"] == "MPI_Allreduce"]
    (part,) = row["algorithm"]["parts"]
    assert part["algorithm"] == "release_gather" and "recursive_doubling in the first 4" in part["note"]
    off = {"MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM": "mpir"}
    done = wheel_mpich.bare(2, own, cwd=work, env=off).ok()
    assert [int(line) for line in done.out.split()] == [0] * 6


def test_a_run_of_an_unknown_mpi_is_refused(work):
    done = run([MPISCOPE, "env", "algorithms", work / "missing.mpiscope"])
    assert done.code == 2 and "missing.mpiscope" in done.err
