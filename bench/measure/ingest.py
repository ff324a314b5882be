"""From rank files to rows: ns of processor time a call, memory, and that both stay as they are when runs grow.

The runs are synthetic (crates/query/examples/rows_bench.rs): a halo exchange around a ring of 16 ranks, a message between
pairs, a reduction in every eighth iteration. One has ten thousand ranks (crates/ingest/examples/synthetic_run.rs) and is
explained by the tool itself. No MPI takes part."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess

from . import setup, stats

RANKS = 16
BAR_NS = 200.0
STEPS = ("decode", "ingest", "explain", "store", "predict", "simulate")
# One simulation of a program in memory.
SIMULATION_BAR_NS = 200.0
# Ranks, rounds of four calls, and what explaining them may take.
MANY = (10_000, 40)
MANY_BAR_MIB = 1024.0


def built():
    stats.progress("building rows_bench")
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "mpiscope-query", "--example", "rows_bench"],
                   cwd=setup.ROOT, check=True)
    return setup.TARGET / "release" / "examples" / "rows_bench"


def many_ranks(options):
    """What explaining takes is then state of each rank, which runs of 16 ranks do not show."""
    stats.progress("building synthetic_run")
    subprocess.run(["cargo", "build", "--release", "-q", "--workspace", "--example", "synthetic_run"],
                   cwd=setup.ROOT, check=True)
    ranks, rounds = MANY
    run = setup.WORK / f"ranks-{ranks}"
    shutil.rmtree(run, ignore_errors=True)
    calls = 4 * ranks * rounds
    case = f"{calls / 1e6:.1f}M calls, {ranks:,} ranks"
    stats.progress(f"ingest: making {case}")
    try:
        subprocess.run([setup.TARGET / "release/examples/synthetic_run", run, str(ranks), str(rounds)], check=True)
        usages = []
        for _ in range(options.rounds):
            stats.progress(f"ingest: {case}, report")
            usages.append(report(options.tool / "mpiscope", run))
        yield stats.alone("report: CPU", "-", case, "ns/call", None, [(u.ru_utime + u.ru_stime) * 1e9 / calls for u in usages])
        yield stats.alone("report: peak memory", "-", case, "MiB", MANY_BAR_MIB, [u.ru_maxrss / 1024 for u in usages])
    finally:
        shutil.rmtree(run, ignore_errors=True)


def report(tool, run):
    """What `mpiscope report --json` has used, of memory its whole process, pages of files included."""
    process = subprocess.Popen([tool, "report", "--json", run], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise stats.RunFailed(f"report {run}: exit {process.returncode}")
    return usage


def ingest(options):
    """`decode` is the control: records are decoded, nothing is made of them."""
    program = built()
    sizes = (1_000_000,) if options.quick else (1_000_000, 10_000_000)
    if options.large:
        sizes += (100_000_000,)
    for size in sizes:
        run = setup.WORK / f"rows-{size}"
        shutil.rmtree(run, ignore_errors=True)
        stats.progress(f"ingest: making {size:,} calls")
        subprocess.run([program, "make", run, str(size), str(RANKS)], check=True)
        label = f"{size // 1_000_000}M calls"
        try:
            for step in STEPS:
                if step in ("store", "simulate") and size > 10_000_000:
                    continue
                for threads in (1,) if step in ("decode", "simulate") else (1, 2):
                    yield from one(program, step, threads, run, label, options)
        finally:
            shutil.rmtree(run, ignore_errors=True)
    yield from many_ranks(options)


def one(program, step, threads, run, label, options):
    samples = []
    for _ in range(options.rounds):
        stats.progress(f"ingest: {label}, {step}, {threads} thread(s)")
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        done = subprocess.run([program, step, run], env=environment, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        samples.append(json.loads(done.stdout))
    def middle(key):
        return statistics.median(sample[key] / sample["calls"] for sample in samples)
    case = f"{label}, {threads} thread{'s' if threads > 1 else ''}"
    bar = {"explain": BAR_NS, "simulate": SIMULATION_BAR_NS}.get(step)
    yield stats.plain(f"{step}: CPU", "-", case, "ns/call", bar, middle("cpu_ns"))
    if threads > 1:
        yield stats.plain(f"{step}: wall", "-", case, "ns/call", None, middle("wall_ns"))
    peak = max(sample["peak_kib"] for sample in samples) / 1024
    yield stats.plain(f"{step}: peak memory", "-", case, "MiB", None, peak)
