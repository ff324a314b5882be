"""Added time, and instructions, for each call."""

from __future__ import annotations

import re

from . import stats
from .setup import run
from .stats import RunFailed

CASES = ("comm_rank", "sendrecv", "isend", "iprobe", "allreduce")
STEADY, FIRST = "per call", "per call, 2M mean"
BARS_NS = {STEADY: 35.0, FIRST: 45.0}
STACK_BAR_NS = 90.0
# It takes twenty times as long as others, so its ring is half as large and has gone round sooner.
SLOW = "allreduce"


def percall(mpi, tool, case, options, words, deep=False):
    """One run of percall: median of the steady batches, mean over all calls from the first."""
    ranks, untimed = (2, options.calls // 4) if case == SLOW else (1, 2 * options.calls)
    program = [mpi.programs / "percall", *(["--deep"] if deep else []), case, options.calls, untimed]
    command = mpi.command(ranks, "env", *words, *program)
    try:
        output = run(command, timeout=120).split()
    finally:
        tool.sweep()
    if len(output) != 6 or output[0] != case:
        raise RunFailed(f"percall {case} printed {' '.join(output)!r}")
    return {"first_median": float(output[1]), "first_mean": float(output[2]),
            "steady_median": float(output[3]), "steady_mean": float(output[4]), "steady_low": float(output[5])}


def variants(mpi, tool, case, options, deep=False, **settings):
    settings["buffer"] = options.buffer // (2 if case == SLOW else 1)

    def one(words):
        return lambda: percall(mpi, tool, case, options, words, deep)

    found = {"none": one(["MPISCOPE_BENCH=none"]), "tool": one(tool.environment(**settings))}
    if tool.nop:
        found["nop"] = one(tool.environment(library=tool.nop, **settings))
    return found


def added(mpi, tool, cases, options):
    """Full trace with call site."""
    for case in cases:
        samples = stats.alternate(options.rounds, variants(mpi, tool, case, options), f"{mpi.name}, {case}")
        yield stats.compare(STEADY, mpi.name, case, "ns", BARS_NS[STEADY], samples,
                            "steady_median", "tool", best="steady_low")
        yield stats.compare(FIRST, mpi.name, case, "ns", BARS_NS[FIRST], samples, "first_mean", "tool")


def stack(mpi, tool, cases, options):
    """With a stack of four frames, called through four functions."""
    for case in cases:
        both = variants(mpi, tool, case, options, deep=True, stack=4)
        both.pop("nop", None)
        samples = stats.alternate(options.rounds, both, f"{mpi.name}, {case}, 4 frames")
        yield stats.compare("with --stack 4", mpi.name, case, "ns", STACK_BAR_NS, samples,
                            "steady_median", "tool", best="steady_low")


def instructions(mpi, tool, cases, options):
    """Instructions a call under callgrind: exact where the clock is noisy. One rank, also for allreduce."""
    short, long = 6_000, 60_000  # percall times half as many more

    def total(words, case, calls, deep):
        command = mpi.command(1, "env", *words, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                              "--toggle-collect=timed", mpi.programs / "percall", *(["--deep"] if deep else []), case, calls, 0)
        log = tool.scratch / "callgrind.log"
        try:
            with open(log, "w") as to:
                run(command, stderr=to, timeout=600)
        finally:
            tool.sweep()
        found = re.search(r"Collected : (\d+)", log.read_text())
        if not found:
            raise RunFailed("callgrind printed no count")
        return int(found[1])

    def one(words, case, deep=False):
        def per_call():
            return {"instructions": (total(words, case, long, deep) - total(words, case, short, deep)) / (1.5 * (long - short))}
        return per_call

    for case in cases:
        samples = {}
        runs = {"none": one(["MPISCOPE_BENCH=none"], case), "tool": one(tool.environment(), case),
                "none4": one(["MPISCOPE_BENCH=none"], case, True), "tool4": one(tool.environment(stack=4), case, True)}
        if tool.nop:
            runs["nop"] = one(tool.environment(library=tool.nop), case)
        samples = stats.alternate(1, runs, f"{mpi.name}, {case}, instructions")
        yield stats.compare("instructions", mpi.name, case, "Ir", None, samples, "instructions", "tool")
        deep = {name[:-1]: numbers for name, numbers in samples.items() if name.endswith("4")}
        yield stats.compare("instructions, stack 4", mpi.name, case, "Ir", None, deep, "instructions", "tool")
