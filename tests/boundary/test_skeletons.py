"""Structure of skeletons of well-known codes: the facts that do not depend on how fast the machine is.

`make skeletons` has all cases; here is the first one of each skeleton, under both MPIs where it is for both.
"""

import sys

import pytest

from harness import MPIS, ROOT

sys.path.insert(0, str(ROOT / "tests/planted/skeletons"))

import run as skeletons  # noqa: E402

ATTEMPTS = 2


def cases():
    first = {}
    for case in skeletons.every_case():
        # One for both MPIs says more.
        if case.source not in first or (first[case.source].mpi and not case.mpi):
            first[case.source] = case
    for case in first.values():
        for mpi in MPIS:
            if case.mpi in (None, mpi):
                yield pytest.param(case, mpi, id=f"{case.id}-{mpi}")


def test_every_skeleton_has_a_fact():
    found = list(skeletons.every_case())
    assert len({case.source for case in found}) >= 30
    assert all(case.facts for case in found)


@pytest.mark.parametrize("case, mpi", cases())
def test_structure(case, mpi, tmp_path):
    # A loop is found by its share of the time: a busy machine may hold up one iteration for longer than all others take.
    for attempt in range(ATTEMPTS):
        run = tmp_path / f"run{attempt}"
        skeletons.recorded(case, mpi, tmp_path, run)
        explanation = skeletons.explained(run)
        faults = list(skeletons.wrong(case, explanation))
        if not faults:
            return
    pytest.fail(f"{case.id}: {faults}\n{explanation['iterations']}\n{explanation['phases']}")
