#!/usr/bin/env python3
"""Makes the pictures of docs/predict/exchanges.md and broadcasts.md: records exchanges under Open MPI, with a host name for each rank (as root,
or where `unshare --uts` is allowed), and draws runs that are predicted from them. `MPISCOPE_BIN_DIR` has `mpiscope`."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MPISCOPE = Path(os.environ.get("MPISCOPE_BIN_DIR", ROOT / "target/release")) / "mpiscope"
STEPS = "site:{}=1000x faster, bandwidth=0.001x"
# Case, ranks, height of the picture, and by name what else is changed.
EXCHANGES = [
    ("mesh", 16, 420, {"mesh-blocking": "", "mesh-nonblocking": ", MPI_Send=nonblocking"}),
    ("staircase", 9, 300, {"staircase": "", "staircase-nonblocking": ", MPI_Send=nonblocking, MPI_Recv=nonblocking"}),
    ("broadcast", 8, 280, {"broadcast": ""}),
    ("broadcasts", 8, 280, {"broadcasts": ""}),
]
NODE = 'hostname node$OMPI_COMM_WORLD_RANK; exec "$@"'


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **options).stdout


def record(work, case, ranks):
    """One iteration of a case, each rank on a host of its own; the run."""
    program, recorded = work / "predicted", work / f"recorded-{case}.mpiscope"
    run("mpicc.openmpi", "-O2", "-g", HERE / "predicted.c", "-o", program)
    launcher = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "-n", ranks]
    node = ["unshare", "--uts", "sh", "-c", NODE, "sh"]
    run(*launcher, *node, MPISCOPE, "exec", "-o", recorded, program, case, "before", 1, cwd=work)
    return recorded


def predict(recorded, target, case, more=""):
    """The run where messages are all that takes time."""
    run(MPISCOPE, "predict", recorded, "-o", target, "--what-if", STEPS.format(case) + more)


def main():
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for case, ranks, height, changes in EXCHANGES:
            recorded = record(work, case, ranks)
            window = None
            for name, more in changes.items():
                target = work / f"{name}.mpiscope"
                predict(recorded, target, case, more)
                scope = json.loads(run(MPISCOPE, "report", target, "--json"))["explanation"]["scope"]
                # Both pictures begin at the same moment.
                window = window or f"{int(scope['start_ns'] * 0.97)}ns..{int(scope['end_ns'] * 1.01)}ns"
                picture = ROOT / "docs/predict" / f"{name}.png"
                run(MPISCOPE, "view", target, "--png", picture, "--force", "--size", f"900x{height}", "--window", window)
                print(picture, f"{(scope['end_ns'] - scope['start_ns']) / 1e6:.0f} ms")


if __name__ == "__main__":
    main()
