"""What `mpiscope check` costs: each call, a halo solver, LAMMPS; with its judge on the same cores."""

from __future__ import annotations

import re
import resource
import shlex
import shutil
import time

from . import calls, stats
from .jobs import crowded
from .setup import ROOT, run
from .stats import RunFailed, warn

CALL_BAR_NS = 300.0
JOB_BAR_PERCENT = 10.0
RANKS = 4
DENSE = "LAMMPS, 256 atoms"
# Programs that hardly do anything.
START = "halo2d, 1 iteration"
# What the bars are about; buffers in flight and windows cost by the byte (measure `buffers`).
CHEAP = ("--only", "arguments,collectives,deadlock,resources")


def command(mpi, tool, ranks, program, settings=()):
    """Under the checker, as a user types it."""
    launcher = shlex.join(str(word) for word in [mpi.command(ranks)[0], *mpi.command(ranks)[3:]])
    out = tool.scratch / "run.mpiscope"
    return [tool.program, "check", "-n", ranks, "--force", "-o", out, "--launcher", launcher, *settings, "--", *program]


def percall(mpi, tool, cases, options):
    """Thread CPU time of a call: checks, events, and waiting for the reader's room. Against tracing alone, too."""
    for case in cases:
        ranks = 2 if case == calls.SLOW else 1
        few = options.calls // 4

        def checked(settings, case=case, ranks=ranks, few=few):
            program = [mpi.programs / "percall", case, few, few // 2]
            try:
                output = run(command(mpi, tool, ranks, program, settings), timeout=120).split()
            finally:
                tool.sweep()
            if len(output) != 6 or output[0] != case:
                raise RunFailed(f"percall {case} printed {' '.join(output)!r}")
            return {"steady_median": float(output[3]), "steady_low": float(output[5])}

        variants = calls.variants(mpi, tool, case, options)
        variants["cheap"] = lambda: checked(CHEAP)
        variants["check"] = lambda: checked(())
        samples = stats.alternate(options.rounds, variants, f"{mpi.name}, {case}, checked")
        names = {"cheap": ("checked call", CALL_BAR_NS), "check": ("with buffers, windows", None), "tool": ("the same traced", None)}
        for name, (measure, bar) in names.items():
            yield stats.compare(measure, mpi.name, case, "ns", bar, samples, "steady_median", name, best="steady_low")


def jobs(mpi, tool, options):
    """Whole jobs at 4 ranks."""
    mpi.build_examples()
    halo = [mpi.examples / "halo2d", "--nx", 1200, "--ny", 1200, "--variant"]
    # Long enough that what beginning and ending cost, which has a row of its own, does not hide what each iteration does.
    iterations = 150 if options.quick else 4000
    programs = {START: [*halo, "blocking", "--iters", 1]}
    programs |= {f"halo2d {variant}": [*halo, variant, "--iters", iterations] for variant in ("irecv_isend", "blocking")}
    # Its own loads and stores of window memory are watched, too.
    programs["halo2d rma_fence"] = [*halo, "rma_fence", "--periodic", "--iters", iterations]
    lmp = shutil.which("lmp") if mpi.name == "openmpi" else None
    if lmp:
        lj = [lmp, "-in", ROOT / "examples" / "lj256.lmp", "-log", "none", "-var"]
        programs["LAMMPS, 32,000 atoms"] = [*lj, "side", 20, "-var", "steps", 60 if options.quick else 300]
        # Hardly any computation between very many calls: more of them than a judge beside four ranks on few cores can read.
        programs[DENSE] = [*lj, "steps", 1_000 if options.quick else 10_000]
    elif mpi.name == "openmpi":
        warn("no lmp (Debian: lammps): left out")

    def timed(words):
        def times():
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            try:
                out = run(words, timeout=300, cwd=tool.scratch)
            finally:
                tool.sweep()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            loop = re.search(r"Loop time of ([\d.]+)", out)
            wall = float(loop[1]) if loop else time.monotonic() - began
            return {"cpu": cpu, "wall": wall}
        return times

    for name, program in programs.items():
        variants = {"none": timed(mpi.command(RANKS, "env", *crowded(mpi, ["MPISCOPE_BENCH=none"]), *program)),
                    "tool": timed(mpi.command(RANKS, "env", *crowded(mpi, tool.environment()), *program)),
                    "cheap": timed(command(mpi, tool, RANKS, program, CHEAP)),
                    "check": timed(command(mpi, tool, RANKS, program))}
        if tool.nop:
            variants["nop"] = timed(mpi.command(RANKS, "env", *crowded(mpi, tool.environment(library=tool.nop)), *program))
        if mpi.crowding:
            # The launcher gives it to the ranks.
            for name, settings in (("cheap", CHEAP), ("check", ())):
                variants[name] = timed(["env", f"LD_PRELOAD={mpi.crowding}", *command(mpi, tool, RANKS, program, settings)])
        samples = stats.alternate(options.rounds, variants, f"{mpi.name}, {name}, checked")
        if name == START:
            for variant, measure in (("cheap", "checked, 4 ranks"), ("tool", "the same traced")):
                yield stats.compare(measure, mpi.name, f"{name}, wall", "s", None, samples, "wall", variant)
            continue
        bar_of = None if name == DENSE else JOB_BAR_PERCENT
        measures = (("cheap", "checked, 4 ranks", bar_of), ("check", "with buffers, windows", None), ("tool", "the same traced", None))
        for variant, measure, bar in measures:
            yield stats.compare(measure, mpi.name, f"{name}, wall", "%", bar, samples, "wall", variant, percent=True)
            yield stats.compare(measure, mpi.name, f"{name}, CPU of all", "%", None, samples, "cpu", variant, percent=True)


def check(mpi, tool, cases, options):
    if not tool.program:
        warn("no mpiscope beside the library: what checking costs is left out")
        return
    yield from percall(mpi, tool, cases, options)
    yield from jobs(mpi, tool, options)
