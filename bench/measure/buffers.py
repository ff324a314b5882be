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
                        said = run(command, timeout=180).split()
                    finally:
                        tool.sweep()
                    if len(said) != 3 or said[0] != case:
                        raise RunFailed(f"buffers {case} said {' '.join(said)!r}")
                    return {"median": float(said[2])}

                return measured

            checked = [*tool.environment(buffer=1 << 20), "MPISCOPE_CHECK=all"]
            found = {"none": one([*checked, "MPISCOPE_CHECK_BYTES=0"]), "tool": one(checked)}
            samples = stats.alternate(min(options.rounds, 5), found, f"{mpi.name}, {case}, {size} bytes")
            yield stats.compare("bytes of a buffer in flight", mpi.name, f"{case}, {size} bytes", "ns", None, samples,
                                "median", "tool")
