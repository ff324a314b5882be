"""From rank files to rows: ns of processor time a call, memory, and that both stay as they are when runs grow.

The runs are synthetic (crates/query/examples/rows_bench.rs): a halo exchange around a ring of 16 ranks, a message between
pairs, a reduction in every eighth iteration. No MPI takes part."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess

from . import setup, stats

RANKS = 16
BAR_NS = 200.0
STEPS = ("decode", "ingest", "explain", "store")


def built():
    stats.progress("building rows_bench")
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "mpiscope-query", "--example", "rows_bench"],
                   cwd=setup.ROOT, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", setup.ROOT / "target")
    return os.path.join(target, "release", "examples", "rows_bench")


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
                if step == "store" and size > 10_000_000:
                    continue
                for threads in (1,) if step == "decode" else (1, 2):
                    yield from one(program, step, threads, run, label, options)
        finally:
            shutil.rmtree(run, ignore_errors=True)


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
    bar = BAR_NS if step == "explain" else None
    yield stats.plain(f"{step}: CPU", "-", case, "ns/call", bar, middle("cpu_ns"))
    if threads > 1:
        yield stats.plain(f"{step}: wall", "-", case, "ns/call", None, middle("wall_ns"))
    peak = max(sample["peak_kib"] for sample in samples) / 1024
    yield stats.plain(f"{step}: peak memory", "-", case, "MiB", None, peak)
