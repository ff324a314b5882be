"""Whole jobs: start, end, and a program nobody here wrote."""

from __future__ import annotations

import re
import shutil

from . import stats
from .setup import BENCH, ROOT, WORK, newer, run
from .stats import RunFailed, warn

EDGE_BAR_MS = 20.0
LAMMPS_BAR_PERCENT = 1.5
# MPI_Comm_rank takes 3 bytes of ring, so that these fill 16 MiB.
FILL_CALLS = 5_700_000


def build_stamp():
    stamp = WORK / "stamp"
    if newer(BENCH / "stamp.c", stamp):
        run(["cc", "-O2", "-Wall", BENCH / "stamp.c", "-o", stamp])
    return stamp


def stamped(mpi, tool, ranks, words, program, timeout=120):
    """Runs a program under stamp: what it printed, and for each rank the lines of its file as
    {first word: [numbers]}."""
    where = tool.scratch / "stamps"
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir()
    out = run(mpi.command(ranks, build_stamp(), where, *words, *program), timeout=timeout, cwd=tool.scratch)
    seen = []
    for path in where.iterdir():
        lines = [line.split() for line in path.read_text().splitlines()]
        seen.append({line[0]: [int(number) for number in line[1:]] for line in lines})
    if len(seen) != ranks or not all("launch" in rank for rank in seen):
        raise RunFailed(f"{len(seen)} of {ranks} ranks were seen to end")
    return out, seen


def cpu_ms(ranks):
    """User and system time of all ranks, with what stands between them and the launcher."""
    return sum(rank["launch"][2] + rank["launch"][3] for rank in ranks) / 1e3


def job(mpi, tool, ranks, words, arguments):
    _, seen = stamped(mpi, tool, ranks, crowded(mpi, words) if ranks > 2 else words, [mpi.programs / "job", *arguments])
    if not all("program" in rank and "memory" in rank for rank in seen):
        raise RunFailed("job did not reach its end on every rank")
    return seen


def crowded(mpi, words):
    """The same words with what this MPI needs when ranks are more than cores."""
    if not mpi.crowding:
        return words
    words = [str(word) for word in words]
    others = [word for word in words if not word.startswith("LD_PRELOAD=")]
    preload = [word[len("LD_PRELOAD="):] for word in words if word.startswith("LD_PRELOAD=")]
    return [f"LD_PRELOAD={':'.join([*preload, str(mpi.crowding)])}", *others]


def edges(mpi, tool, options):
    """Start-up and end of a job, at 2 and 16 ranks, with the bare library and under `mpiscope exec`."""
    def one(ranks, words, arguments):
        def times():
            try:
                seen = job(mpi, tool, ranks, words, arguments)
            finally:
                tool.sweep()
            begun = min(rank["launch"][0] for rank in seen)
            ended = max(rank["launch"][1] for rank in seen)
            finalize = min(rank["program"][2] for rank in seen)
            return {"start": (max(rank["program"][1] for rank in seen) - begun) / 1e6, "end": (ended - finalize) / 1e6,
                    "finalize": (max(rank["program"][3] for rank in seen) - finalize) / 1e6,
                    "cpu": cpu_ms(seen) / ranks}
        return times

    def variants(ranks, arguments):
        found = {"none": one(ranks, ["MPISCOPE_BENCH=none"], arguments), "library": one(ranks, tool.environment(), arguments)}
        if tool.program:
            found["exec"] = one(ranks, tool.exec_words(), arguments)
        if tool.nop:
            found["nop"] = one(ranks, tool.environment(library=tool.nop), arguments)
        return found

    for ranks in (2, 16):
        if ranks == 16 and not mpi.can_crowd():
            warn("16 ranks of MPICH on fewer cores crawl without a library that yields: left out")
            continue
        rounds = options.rounds * 2 if ranks == 2 else options.rounds
        samples = stats.alternate(rounds, variants(ranks, ["--calls", 20]), f"{mpi.name}, {ranks} ranks")
        fill = ["--calls", 20, "--fill", FILL_CALLS]
        full = stats.alternate(options.rounds, variants(ranks, fill), f"{mpi.name}, {ranks} ranks, full rings")
        for variant in ("library", "exec"):
            case = f"{ranks} ranks, {variant}"
            yield stats.compare("start-up", mpi.name, case, "ms", EDGE_BAR_MS, samples, "start", variant)
            yield stats.compare("finalize", mpi.name, case, "ms", EDGE_BAR_MS, samples, "finalize", variant)
            yield stats.compare("finalize to end", mpi.name, case, "ms", EDGE_BAR_MS, samples, "end", variant)
            yield stats.compare("finalize to end", mpi.name, f"{case}, full rings", "ms", EDGE_BAR_MS, full, "end", variant)
            yield stats.compare("CPU of start and end", mpi.name, case, "ms/rank", None, samples, "cpu", variant)


def lammps(mpi, tool, options):
    """256 atoms on 2 ranks: hardly any computation between very many calls. Debian's is Open MPI's."""
    program = shutil.which("lmp")
    if mpi.name != "openmpi" or not program:
        if not program:
            warn("no lmp (Debian: lammps): left out")
        return
    # Two seconds in the loop: in short runs the spread of one in twenty hides what is looked for.
    steps = 3_000 if options.quick else 30_000
    arguments = [program, "-in", ROOT / "examples" / "lj256.lmp", "-var", "steps", steps, "-log", "none"]

    def one(words):
        def times():
            try:
                out, seen = stamped(mpi, tool, 2, words, arguments)
            finally:
                tool.sweep()
            loop = re.search(r"Loop time of ([\d.]+)", out)
            if not loop:
                raise RunFailed("LAMMPS printed no loop time")
            wall = max(rank["launch"][1] for rank in seen) - min(rank["launch"][0] for rank in seen)
            return {"cpu": cpu_ms(seen) / 1e3, "wall": wall / 1e9, "loop": float(loop[1])}
        return times

    variants = {"none": one(["MPISCOPE_BENCH=none"]), "tool": one(tool.environment())}
    if tool.nop:
        variants["nop"] = one(tool.environment(library=tool.nop))
    samples = stats.alternate(2 * options.rounds, variants, "LAMMPS")
    for case, quantity, bar in (
        ("CPU time", "cpu", LAMMPS_BAR_PERCENT),
        ("wall time", "wall", LAMMPS_BAR_PERCENT),
        ("its own loop time", "loop", LAMMPS_BAR_PERCENT),
    ):
        yield stats.compare("LAMMPS, 2 ranks", mpi.name, case, "%", bar, samples, quantity, "tool", percent=True)
