"""docs/compatibility.md says what its generator found, with the generator as it is now."""

import json
import sys

import pytest
from harness import ROOT

sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "programs")]
import compatibility  # noqa: E402

STALE = "type: make compatibility"


def kept():
    return json.loads(compatibility.RESULTS.read_text())


def test_the_page_is_what_was_found_and_by_this_generator():
    results = kept()
    assert results["digest"] == compatibility.digest(), STALE
    assert compatibility.PAGE.read_text() == compatibility.page(results), STALE
    assert len(results["builds"]) >= 2 and all(build["cells"] for build in results["builds"].values())


def test_some_cells_come_out_the_same_today(mpi):
    """Of the MPIs of the system: what the page says is still so."""
    label = {"mpich": "Debian's MPICH", "openmpi": "Debian's Open MPI"}[mpi.name]
    build = compatibility.Build(label, mpi, fortran=True)
    wanted = {"`use mpi_f08`", "persistent requests", "sessions", "ends: crash"}
    found = compatibility.cells(build, only=wanted)
    before = kept()["builds"].get(label)
    if before is None:
        pytest.skip(f"the page was made without {label}")
    assert found == {feature: before["cells"][feature] for feature in wanted}, STALE
