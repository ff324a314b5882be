#!/usr/bin/env python3
"""What mpiscope costs: `make bench`.

    python3 bench/run.py [--mpi mpich|openmpi|all] [--quick] [CASE…] [--json FILE]

CASE is a measure (calls stack bytes memory edges lammps threads crowd buffers python ctl check ingest preview viewer page) or a case of percall
(comm_rank sendrecv isend iprobe allreduce), which limits the first two and check; default: all of these. `netpipe` and `hpcc` compare
`mpiscope bench` with these programs, `harness` measures the cost of its calls. `--instructions` counts
instructions with callgrind as well, and takes minutes.

The table goes to stdout, everything else to stderr; the samples behind it are kept in
build/bench/last.json and in FILE. The exit status is 0 also when a bar is missed: numbers of a busy
machine are read, not asserted. docs/benchmarks.md says what they mean.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import signal
import time

from measure import buffers, calls, check, ctl, ingest, jobs, others, page, preview, python, setup, space, stats, threads, viewer

MEASURES = ("calls", "stack", "bytes", "memory", "edges", "lammps", "threads", "crowd", "buffers", "python", "ctl",
            "check")
# Of `mpiscope bench` itself, only if they are named.
BESIDE = ("harness", "netpipe", "hpcc")
# Without an MPI.
ALONE = ("ingest", "preview", "viewer", "page")


def arguments():
    parser = argparse.ArgumentParser(description="What mpiscope costs; see docs/benchmarks.md.")
    parser.add_argument("--mpi", choices=("mpich", "openmpi", "all"), default="all")
    parser.add_argument("--quick", action="store_true", help="few, short runs: to see that everything works")
    parser.add_argument("--rounds", type=int, help="runs of each variant (default 7, quick 3)")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="keep rows and samples")
    parser.add_argument("--tool", metavar="DIR", type=pathlib.Path, default=setup.TARGET / "release",
                        help="where libmpiscope.so and mpiscope are (default: release in the target directory of cargo)")
    parser.add_argument("--instructions", action="store_true", help="count instructions with callgrind, too")
    parser.add_argument("--huge", action="store_true", help="viewer: 1000 million calls as well (20 GiB of disk, a quarter of an hour)")
    parser.add_argument("--large", action="store_true", help="ingest, preview, viewer: 100 million calls as well (a GiB, minutes)")
    parser.add_argument("cases", metavar="CASE", nargs="*", help=" ".join(MEASURES + ALONE + BESIDE + calls.CASES))
    options = parser.parse_args()
    known = MEASURES + ALONE + BESIDE + calls.CASES
    unknown = [case for case in options.cases if case not in known]
    if unknown:
        parser.error(f"no case {unknown[0]}; there are: {' '.join(known)}")
    options.rounds = options.rounds or (3 if options.quick else 7)
    # A short run sees a whole lap of the ring only if that is short as well.
    options.calls, options.buffer = (200_000, 1 << 20) if options.quick else (2_000_000, 16 << 20)
    return options


def measure(mpi, tool, options):
    """All rows wanted of one MPI, as they become known."""
    percall = [case for case in options.cases if case in calls.CASES]
    wanted = [case for case in options.cases if case in MEASURES]
    if not wanted and not any(case in BESIDE for case in options.cases):
        wanted = ("calls", "stack") if percall else MEASURES
    cases = percall or calls.CASES
    mpi.build()
    if "calls" in wanted:
        yield from calls.added(mpi, tool, cases, options)
    if "stack" in wanted:
        yield from calls.stack(mpi, tool, cases, options)
    if options.instructions:
        yield from calls.instructions(mpi, tool, cases, options)
    if "bytes" in wanted:
        mpi.build_examples()
        yield from space.bytes_per_record(mpi, tool, options)
    if "memory" in wanted:
        yield from space.memory(mpi, tool, options)
    if "edges" in wanted:
        yield from jobs.edges(mpi, tool, options)
    if "lammps" in wanted:
        yield from jobs.lammps(mpi, tool, options)
    if "threads" in wanted:
        yield from threads.threads(mpi, tool, options)
    if "crowd" in wanted:
        yield from threads.crowd(mpi, tool, options)
    if "buffers" in wanted:
        yield from buffers.buffers(mpi, tool, options)
    if "python" in wanted:
        yield from python.python(mpi, tool, options)
    if "ctl" in wanted:
        yield from ctl.ctl(mpi, tool, options)
    if "check" in wanted:
        yield from check.check(mpi, tool, cases, options)
    for name, rows_of in (("harness", others.harness), ("netpipe", others.netpipe), ("hpcc", others.hpcc)):
        if name in options.cases:
            yield from rows_of(mpi, tool, options)


def keep(path, about, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = [{**dataclasses.asdict(row), "verdict": row.verdict} for row in rows]
    path.write_text(json.dumps({**about, "rows": kept}, indent=1, ensure_ascii=False) + "\n")


def main():
    options = arguments()
    # As ^C: what lies in shared memory has to go.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    about = {"machine": setup.machine(), "quick": options.quick, "rounds": options.rounds, "mpi": {}}
    if about["machine"]["load_at_start"] > 0.5:
        stats.warn(f"others use this machine (load {about['machine']['load_at_start']:.1f}): expect a wide spread")
    alone_only = options.cases and all(case in ALONE for case in options.cases)
    mpis = [] if alone_only else setup.mpis(options.mpi)
    # What needs no MPI needs no library either, nor its control, which takes minutes to build.
    setup.WORK.mkdir(parents=True, exist_ok=True)
    tool = None if alone_only else setup.Tool(options.tool)
    about["control_nop"] = tool is not None and tool.nop is not None
    begun, rows = time.monotonic(), []
    try:
        alone = (("ingest", ingest.ingest), ("preview", preview.preview), ("viewer", viewer.viewer), ("page", page.page))
        for name, rows_of in alone:
            for row in rows_of(options) if not options.cases or name in options.cases else ():
                rows.append(row)
                keep(setup.WORK / "last.json", about, rows)
        for mpi in mpis:
            about["mpi"][mpi.name] = mpi.version()
            for row in measure(mpi, tool, options):
                if row is not None:
                    rows.append(row)
                    keep(setup.WORK / "last.json", about, rows)
    except KeyboardInterrupt:
        stats.warn("interrupted: what was measured until here")
    finally:
        stats.progress("")
        if tool:
            tool.close()
    about["seconds"] = round(time.monotonic() - begun)
    about["machine"]["load_at_end"] = os.getloadavg()[0]
    for path in filter(None, (setup.WORK / "last.json", options.json)):
        keep(path, about, rows)
    m = about["machine"]
    print(f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB, {m['system']}; {'; '.join(about['mpi'].values())}; "
          f"load {m['load_at_start']:.1f} to {m['load_at_end']:.1f}; {about['seconds']} s{', quick' if options.quick else ''}\n")
    print(stats.table(rows))
    noisy = {}
    for row in rows:
        if row.outliers:
            noisy[f"{row.measure} ({row.mpi})"] = noisy.get(f"{row.measure} ({row.mpi})", 0) + row.outliers
    if noisy:
        stats.warn("samples that stand apart: " + ", ".join(f"{count} in {name}" for name, count in noisy.items()))
    if any(row.verdict.endswith("?") for row in rows):
        stats.warn("PASS? and MISS?: the bar lies within the uncertainty; repeat, or see --instructions")


if __name__ == "__main__":
    main()
