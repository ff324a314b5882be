"""What `make packages` has built, and the example programs if they are built as well."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(os.environ.get("MPISCOPE_PACKAGES", ROOT / "build" / "packages"))


def the_package(pattern):
    found = sorted(PACKAGES.glob(pattern))
    if not found:
        pytest.skip(f"no {pattern} in {PACKAGES}; type: make packages")
    assert len(found) == 1, found
    return found[0]


@pytest.fixture(scope="session")
def wheel():
    return the_package("mpiscope-*.whl")


@pytest.fixture(scope="session")
def wheel_prefix(wheel, tmp_path_factory):
    """An environment with the wheel in it."""
    place = tmp_path_factory.mktemp("wheel") / "venv"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    pip = [place / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index"]
    subprocess.run([*pip, wheel], check=True)
    return place


@pytest.fixture(scope="session")
def deb_prefix(tmp_path_factory):
    """The Debian package, unpacked."""
    place = tmp_path_factory.mktemp("deb")
    subprocess.run(["dpkg", "-x", the_package("mpiscope_*.deb"), place], check=True)
    return place / "usr"


@pytest.fixture(params=["wheel", "deb"])
def prefix(request):
    return request.getfixturevalue(f"{request.param}_prefix")
