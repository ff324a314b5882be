#!/usr/bin/env python3
"""Predicts how `scaled` scales, runs it with as many ranks, and compares: part of `make predicted`.

    scaling.py --rounds 3        runs of each number of ranks; default 3

Small runs are recorded; of the larger one, the time counts that the program prints. README.md states the bars.
Exit status: 0; 1 when a bar is not reached or a program fails.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "boundary")]

from harness import BUILD, LAUNCHER_ENV, MPIS, MPISCOPE, run  # noqa: E402

# Ranks that are recorded, and then predicted. A rank that waits must not keep its core busy, or more ranks than cores measure the scheduler: Open MPI's
# do so by themselves.
CASES = {"openmpi": ([1, 2, 4], 8, ()), "mpich": ([1, 2, 3], 4, ("--yield",))}
STEPS = 10
# Predictions are right within this part of the measured time.
RIGHT = 0.10


def built(mpi):
    target = BUILD / "predicted" / mpi / "scaled"
    target.parent.mkdir(parents=True, exist_ok=True)
    source = HERE / "scaled.c"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        run([MPIS[mpi].compiler, "-O2", "-g", "-Wall", source, "-o", target]).ok()
    return target


def seconds(done):
    done.ok()
    return next(float(line.split()[1]) for line in done.out.splitlines() if line.startswith("seconds "))


def judged(mpi, kind, rounds, work):
    work.mkdir()
    recorded, asked, options = CASES[mpi]
    program = built(mpi)
    paths, times = [], []
    for again in range(rounds):
        for ranks in (*recorded, asked):
            path = work / f"{ranks}.{again}.mpiscope"
            words = [MPISCOPE, "run", "-n", ranks, "-o", path, *options, "--", program, kind, STEPS]
            time = seconds(run(words, env=MPIS[mpi].env))
            if ranks == asked:
                times.append(time)
            else:
                paths.append(path)
    found = json.loads(run([MPISCOPE, "predict", *paths, "--ranks", asked, "--json"]).ok().out)
    shutil.rmtree(work)
    time = found["predicted"][0]["time_ns"]
    value, low, high = (time[key] / 1e9 for key in ("value", "low", "high"))
    measured = statistics.median(times)
    return {
        "kind": kind,
        "mpi": mpi,
        "recorded": recorded,
        "ranks": asked,
        "predicted": value,
        "interval": [low, high],
        "measured": measured,
        "measured_range": [min(times), max(times)],
        "scaling": found["scaling"],
        "is_right": abs(value / measured - 1) <= RIGHT,
        "is_in_interval": low <= max(times) and min(times) <= high,
    }


def line(of):
    mark = "  " if of["is_right"] else "! "
    ranks = ",".join(map(str, of["recorded"]))
    return (
        f"{mark}{of['kind']:<7}{of['mpi']:<8} from {ranks:<8} to {of['ranks']:>2} ranks"
        f"  predicted {of['predicted']:.3f} s ({of['interval'][0]:.3f} to {of['interval'][1]:.3f})"
        f"  measured {of['measured']:.3f} s ({of['measured_range'][0]:.3f} to {of['measured_range'][1]:.3f})"
        f"  {of['predicted'] / of['measured'] - 1:+.1%}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--mpi", choices=sorted(MPIS), help="only this MPI")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    os.environ.update(LAUNCHER_ENV)
    place = Path(tempfile.mkdtemp(prefix="scaled."))
    results = []
    try:
        for mpi in CASES:
            if not shutil.which(MPIS[mpi].compiler) or (options.mpi and mpi != options.mpi):
                continue
            for kind in ("strong", "weak"):
                results.append(judged(mpi, kind, options.rounds, place / str(len(results))))
                print(line(results[-1]), flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if not results:
        print("scaling: no MPI is installed", file=sys.stderr)
        return 1
    right = sum(of["is_right"] for of in results) / len(results)
    inside = sum(of["is_in_interval"] for of in results) / len(results)
    is_reached = right >= 0.75 and inside == 1
    print(f"\n{len(results)} predictions\n{'  ' if right >= 0.75 else '! '}within 10 %: {right:.0%} (at least 75%)")
    print(f"{'  ' if inside == 1 else '! '}measured within the interval: {inside:.0%} (all)")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if is_reached else 1


if __name__ == "__main__":
    sys.exit(main())
