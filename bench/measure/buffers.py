"""Buffers in flight: what looking at their bytes adds to a message."""

from __future__ import annotations

from . import stats
from .setup import run
from .stats import RunFailed

SIZES = (64, 4096, 65536, 1 << 20, 16 << 20)


def buffers(mpi, tool, options):
    """A message of a checked process, its buffer looked at, and not (`--check-bytes=0`)."""
    for case in ("send", "receive", "column"):
        for size in SIZES[:3] if options.quick else SIZES:

            def one(words, case=case, size=size):
                def measured():
                    command = mpi.command(1, "env", *words, mpi.programs / "buffers", case, size)
                    try:
                        output = run(command, timeout=180).split()
                    finally:
                        tool.sweep()
                    if len(output) != 3 or output[0] != case:
                        raise RunFailed(f"buffers {case} printed {' '.join(output)!r}")
                    return {"median": float(output[2])}

                return measured

            checked = [*tool.environment(buffer=1 << 20), "MPISCOPE_CHECK=all"]
            found = {"none": one([*checked, "MPISCOPE_CHECK_BYTES=0"]), "tool": one(checked)}
            samples = stats.alternate(min(options.rounds, 5), found, f"{mpi.name}, {case}, {size} bytes")
            yield stats.compare("bytes of a buffer in flight", mpi.name, f"{case}, {size} bytes", "ns", None, samples,
                                "median", "tool")
    if tool.runtime:
        yield from accesses(mpi, tool, options)


def accesses(mpi, tool, options):
    """A load of a program compiled with -fsanitize=thread, against the same without."""
    for case in ("none", "apart", "beside"):

        def one(program, case=case):
            def measured():
                words = tool.environment(f"{tool.library}:{tool.runtime}", buffer=1 << 20)
                command = mpi.command(1, "env", *words, "MPISCOPE_CHECK=all", mpi.programs / program, case)
                try:
                    output = run(command, timeout=180).split()
                finally:
                    tool.sweep()
                if len(output) != 3 or output[0] != case:
                    raise RunFailed(f"{program} {case} printed {' '.join(output)!r}")
                return {"median": float(output[2])}

            return measured

        found = {"none": one("accesses-plain"), "tool": one("accesses")}
        samples = stats.alternate(min(options.rounds, 5), found, f"{mpi.name}, loads, {case}")
        yield stats.compare("load, -fsanitize=thread", mpi.name, f"in flight: {case}", "ns", None, samples, "median", "tool")
