"""Part of mpi4py's own test suite: the same result of every test, with mpiscope and without.

The whole of it, under five MPIs: `make programs`."""

import sys

import pytest
from harness import HERE

sys.path.insert(0, str(HERE.parent / "programs"))
from mpi4py_suite import WHEELS, compare, suite_environment  # noqa: E402

# What is quick and touches much: objects, callbacks, errors, requests, windows, files.
PART = "attributes|cco_buf$|comm|datatype|errhandler|exceptions|grequest|info|io|op|p2p_buf|request|rma|session|status|win"


@pytest.mark.heavy
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("name", WHEELS)
def test_same_results(work, name, ranks):
    mpi, python = suite_environment(name)
    words = ["-i", "test_(" + PART.replace("$", r"\.py$") + ")"]
    seen = compare(mpi, python, ranks, words, work / "suite")
    assert not seen.wrong, "\n".join([*seen.wrong[:40], str(seen.recording.done)])
    assert seen.ok > 300 * ranks, str(seen.bare)
