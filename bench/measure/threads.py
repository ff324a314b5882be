"""Several threads at once, annotations, and a thousand processes of a node."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from . import stats
from .setup import BENCH, CFLAGS, WORK, newer, run
from .stats import RunFailed

THREADS_BAR_NS = 45.0
ANNOTATION_BAR_NS = 40.0
OPEN_BAR_MS = 1000.0


def _said(mpi, tool, case, threads, options, words):
    command = mpi.command(1, "env", *words, mpi.programs / "threads", case, threads, options.calls // 2)
    try:
        output = run(command, timeout=120).split()
    finally:
        tool.sweep()
    if len(output) != 4 or output[0] != case:
        raise RunFailed(f"threads {case} printed {' '.join(output)!r}")
    return {"median": float(output[2]), "mean": float(output[3])}


def threads(mpi, tool, options):
    """`MPI_THREAD_MULTIPLE`: what a call costs while other threads make calls, too."""
    for case, number, bar in (("comm_rank", 1, None), ("comm_rank", 4, THREADS_BAR_NS), ("isend", 1, None),
                              ("isend", 4, THREADS_BAR_NS), ("annotate", 1, ANNOTATION_BAR_NS),
                              ("annotate", 4, ANNOTATION_BAR_NS)):

        def one(words, case=case, number=number):
            return lambda: _said(mpi, tool, case, number, options, words)

        found = {"none": one(["MPISCOPE_BENCH=none"]), "tool": one(tool.environment(buffer=options.buffer))}
        if tool.nop and case != "annotate":
            found["nop"] = one(tool.environment(library=tool.nop, buffer=options.buffer))
        what = "an annotation" if case == "annotate" else "a call of a thread"
        samples = stats.alternate(options.rounds, found, f"{mpi.name}, {case}, {number} threads")
        yield stats.compare(what, mpi.name, f"{case}, {number} thread{'s' if number > 1 else ''}", "ns", bar, samples,
                            "median", "tool")


def crowd(mpi, tool, options):
    """A node with very many ranks: processes that each make a few calls of a library that stands for an MPI."""
    if mpi.name != "mpich":  # the stand-in is of that family; once is enough
        return
    stand_in, program = WORK / "libstandin.so", WORK / "standin"
    if newer(BENCH / "standin.c", program):
        run(["cc", *CFLAGS, "-shared", "-fPIC", "-DLIBRARY", BENCH / "standin.c", "-o", stand_in])
        run(["cc", *CFLAGS, BENCH / "standin.c", stand_in, f"-Wl,-rpath,{WORK}", "-o", program])
    sizes = (50, 100) if options.quick else (250, 500, 1000)
    for size in sizes:
        work = Path(tempfile.mkdtemp(prefix="mpiscope-crowd-"))
        out = work / "run.mpiscope"
        try:
            def one(recorded, size=size, out=out):
                return lambda: _crowd(tool, program, size, out if recorded else None, work)

            samples = stats.alternate(min(options.rounds, 3), {"none": one(False), "tool": one(True)}, f"{size} processes")
            yield stats.compare("a process of very many", mpi.name, f"{size} processes", "ms", None, samples, "each", "tool")
            begun = time.monotonic()
            run([tool.program, "report", out], timeout=120)
            yield stats.plain("report of very many ranks", mpi.name, f"{size} ranks", "ms", OPEN_BAR_MS,
                              (time.monotonic() - begun) * 1e3)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _crowd(tool, program, size, out, work):
    """Starts the processes, as many at a time as there are cores; milliseconds for each, recorded by `exec`."""
    if out:
        shutil.rmtree(out, ignore_errors=True)
    words = [tool.program, "exec", "-o", out, "--"] if out else []
    # One job to `exec`, by the variables of a launcher.
    def start(rank):
        env = {**os.environ, "PMI_RANK": str(rank), "PMI_SIZE": str(size), "STANDIN_RANK": str(rank),
               "STANDIN_SIZE": str(size), "PMI_JOBID": f"crowd-{size}-{os.getpid()}"}
        return subprocess.Popen([str(w) for w in (*words, program)], cwd=work, env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    begun, running = time.monotonic(), []
    for rank in range(size):
        running.append(start(rank))
        if len(running) >= 2 * (os.cpu_count() or 2):
            _ended(running.pop(0))
    for process in running:
        _ended(process)
    return {"each": (time.monotonic() - begun) * 1e3 / size}


def _ended(process):
    _, output = process.communicate(timeout=60)
    if process.returncode:
        raise RunFailed(f"a process of the crowd ended with {process.returncode}: {output.decode(errors='replace')[-300:]}")
