"""A job that hangs, seen from outside: `mpiscope ctl`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time

from . import stats
from .jobs import FILL_CALLS, crowded
from .setup import run
from .stats import RunFailed, warn

RANKS, BAR_S = 16, 1.0
START_LIMIT_S = 120


def hung(mpi, tool, path, fill):
    """`mpiscope run` of a job of which one rank waits for ever; returns when all ranks have got there."""
    program = [mpi.programs / "job", "--calls", 20, "--fill", fill, "--hang", 3]
    words = [tool.program, "run", "-n", RANKS, "-o", path, "--", *(["env", *crowded(mpi, [])] if mpi.crowding else []), *program]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    process = subprocess.Popen([str(word) for word in words], env=environment, text=True, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    end = time.monotonic() + START_LIMIT_S
    try:
        # Each rank says a line, so this ends with the last of them, or with the job.
        for _ in range(RANKS):
            if process.stdout.readline() != "at work\n" or time.monotonic() > end:
                raise RunFailed(f"the job of {RANKS} ranks did not get to where it hangs")
        while True:
            ranks = json.loads(run([tool.program, "ctl", path, "status", "--json"]))["ranks"]
            if len(ranks) == RANKS and all(rank["call"] in ("MPI_Recv", "MPI_Barrier") for rank in ranks):
                return process
            if time.monotonic() > end:
                raise RunFailed("not every rank is seen to hang")
            time.sleep(0.2)
    except BaseException:
        stop(process)
        raise


def stop(process):
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ctl(mpi, tool, options):
    """Wall time of `ctl snapshot` and `ctl status` while the ranks take all cores, with few records and with full rings."""
    if not tool.program:
        return
    if not mpi.can_crowd():
        warn(f"{RANKS} ranks of MPICH on fewer cores crawl without a library that yields: left out")
        return
    for what, fill in (("few records", 0), ("full rings", FILL_CALLS)):
        path, copy = tool.scratch / "hung.mpiscope", tool.scratch / "copy.mpiscope"
        samples = {"snapshot": [], "status": []}
        try:
            process = hung(mpi, tool, path, fill)
        except RunFailed as failure:
            warn(f"ctl, {mpi.name}, {what}: {failure}")
            continue
        try:
            for number in range(options.rounds):
                stats.progress(f"{mpi.name}, ctl, {what}: round {number + 1} of {options.rounds}")
                for name, words in (("snapshot", ["--to", copy]), ("status", [])):
                    begun = time.monotonic()
                    run([tool.program, "ctl", path, name, *words])
                    samples[name].append(time.monotonic() - begun)
                shutil.rmtree(copy)
        except RunFailed as failure:
            warn(f"ctl, {mpi.name}, {what}: {failure}")
            continue
        finally:
            stop(process)
            shutil.rmtree(path, ignore_errors=True)
        for name, values in samples.items():
            yield stats.alone("ctl", mpi.name, f"{name}, {RANKS} ranks hang, {what}", "s", BAR_S, values)
