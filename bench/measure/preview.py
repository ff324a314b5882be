"""The preview of a store: what it costs to make, how large it is, how quickly it answers.

The stores are synthetic (crates/pyramid/examples/pyramid_bench.rs). No MPI takes part."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

from . import setup, stats

# Calls, ranks.
RUNS = ((1_000_000, 16), (10_000_000, 1_000))
LARGE = ((100_000_000, 10_000),)
HUGE = ((1_000_000_000, 10_000),)


def built():
    stats.progress("building pyramid_bench")
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "mpiscope-pyramid", "--example", "pyramid_bench"],
                   cwd=setup.ROOT, check=True)
    return setup.TARGET / "release" / "examples" / "pyramid_bench"


def preview(options):
    """A store is made, its preview is built on one thread, then it is asked."""
    program = built()
    for size, ranks in RUNS[:1] if options.quick else RUNS + (LARGE if options.large else ()):
        place = setup.WORK / f"preview-{size}"
        shutil.rmtree(place, ignore_errors=True)
        case = f"{size // 1_000_000}M calls, {ranks} ranks"
        try:
            asked(program, "make", place, f"preview: {case}, store", str(size), str(ranks))
            made = asked(program, "build", place, f"preview: {case}, build", threads=1)
            yield stats.plain("preview: CPU", "-", case, "ns/call", 100.0, made["ns_per_call"])
            yield stats.plain("preview: size", "-", case, "% of the tables", 15.0, 100 * made["share"])
            yield stats.plain("preview: peak memory", "-", case, "MiB", None, made["peak_kib"] / 1024)
            found = asked(program, "ask", place, f"preview: {case}, questions")
            yield stats.plain("preview: open, first picture", "-", case, "ms", 1000.0, found["first_paint_ms"])
            yield stats.plain("preview: window, cold, p95", "-", case, "ms", 100.0, found["cold_ms"]["p95"])
            yield stats.plain("preview: window, warm, p95", "-", case, "ms", 30.0, found["warm_ms"]["p95"])
            yield stats.plain("store: one call, p95", "-", case, "ms", 100.0, found["call_ms"]["p95"])
            yield stats.plain("store: calls of a window, p95", "-", case, "ms", None, found["calls_of_window_ms"]["p95"])
            yield stats.plain("preview, store: peak memory", "-", case, "MiB", 1024.0, found["peak_kib"] / 1024)
        finally:
            shutil.rmtree(place, ignore_errors=True)


def asked(program, step, place, label, *more, threads=None):
    stats.progress(label)
    environment = {**os.environ, **({"RAYON_NUM_THREADS": str(threads)} if threads else {})}
    done = subprocess.run([program, step, place, *more], env=environment, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)
