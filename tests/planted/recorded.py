"""Recorded runs of the quick cases, as `make test` explains them: what is judged does not depend on the machine.

An archive is `recorded/CASE.MPI.tar.xz`: the run as `mpiscope run` has left it, and the stamps of the same run. Rank files
are sparse; so are the archives, a few KB each. `run.py --record` makes them.
"""

import lzma
import shutil
import subprocess
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "recorded"
# Rank files name the program and the library that recorded it. Not every machine has this checkout where it is now.
NEUTRAL = Path("/tmp/planted")
# Where thousands of calls make an archive larger, that of one MPI is enough.
LARGEST_BYTES = 100_000
# The same bytes for the same files.
PLAIN = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"]


def archive_of(case, mpi):
    return FOLDER / f"{case.id}.{mpi}.tar.xz"


def every_archive(cases, mpis):
    """(case, MPI, archive) of every quick case that is kept."""
    quick = [(case, mpi) for case in cases if case.quick for mpi in mpis if case.mpi in (None, mpi)]
    return [(case, mpi, archive_of(case, mpi)) for case, mpi in quick if archive_of(case, mpi).is_file()]


def kept(place, archive, is_only):
    """Packs run and stamps in `place`. A large one is kept only if no other MPI has this case."""
    archive.parent.mkdir(exist_ok=True)
    command = ["tar", "--sparse", *PLAIN, "--exclude=store", "-C", place, "-cf", "-", "run.mpiscope", "stamps"]
    packed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    packed = lzma.compress(packed, preset=9 | lzma.PRESET_EXTREME)
    if is_only or len(packed) <= LARGEST_BYTES:
        archive.write_bytes(packed)


def opened(archive, place):
    """Unpacks an archive; where its run and its stamps are."""
    with tarfile.open(archive) as files:
        files.extractall(place, filter="data")
    return place / "run.mpiscope", place / "stamps"


def moved(binaries, programs):
    """Copies of mpiscope and of an MPI's programs in a neutral place; where both are."""
    for source, name in ((binaries, "bin"), (programs, programs.name)):
        shutil.copytree(source, NEUTRAL / name, dirs_exist_ok=True)
    return NEUTRAL / "bin", NEUTRAL / programs.name
