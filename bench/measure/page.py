"""What the viewer's page costs in the browser, without a GPU: time until something and everything is painted, CPU of a
frame while dragging, zooming and scrolling (ranks in rows of their own and folded), memory.

The runs are synthetic (crates/ingest/examples/synthetic_run.rs), the server and Chromium are real
(tests/viewer/page-bench.mjs). No MPI takes part."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

from . import setup, stats

# Ranks, rounds of four calls.
RUNS = ((16, 2_000), (10_000, 20))


def page(options):
    if not shutil.which("node") or not (setup.ROOT / "viewer/node_modules").is_dir():
        stats.warn("page: needs Node and viewer/node_modules: make viewer")
        return
    stats.progress("page: building")
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "mpiscope-ingest", "--example", "synthetic_run"],
                   cwd=setup.ROOT, check=True)
    environment = {**os.environ, "MPISCOPE_BIN_DIR": str(options.tool)}
    for ranks, rounds in RUNS[:1] if options.quick else RUNS:
        case = f"{ranks} ranks"
        stats.progress(f"page: {case}")
        done = subprocess.run(["node", "tests/viewer/page-bench.mjs", str(ranks), str(rounds)], cwd=setup.ROOT,
                              env=environment, stdout=subprocess.PIPE, check=True)
        found = json.loads(done.stdout)
        yield stats.plain("page: shell painted", "-", case, "ms", 200.0, found["shell_ms"])
        yield stats.plain("page: first picture", "-", case, "ms", 1000.0, found["first_ms"])
        yield stats.plain("page: picture as fine as it gets", "-", case, "ms", None, found["picture_ms"])
        for act in ("drag", "zoom", "scroll"):
            yield stats.plain(f"page: frame of a {act}, p95", "-", case, "ms CPU", 16.0, found[act]["p95_ms"])
        for by, acts in found["folded"].items():
            for act in ("drag", "zoom", "scroll"):
                yield stats.plain(f"page: frame of a {act}, folded by {by}, p95", "-", case, "ms CPU", 16.0,
                                  acts[act]["p95_ms"])
        yield stats.plain("page: script's memory", "-", case, "MiB", None, found["heap_bytes"] / 2**20)
        yield stats.plain("page: memory of its process", "-", case, "MiB", 300e6 / 2**20, found["renderer_bytes"] / 2**20)
