#!/usr/bin/env python3
"""Tunes programs whose best settings are known, and programs without a gain: `make tuned`.

    run.py [NAME ...]            cases whose name contains one of these; all without
    run.py --mpi openmpi         only this MPI
    run.py --budget 2m           for each case; default 2m

README.md states the bars. Exit status: 0; 1 when a bar is not reached or a program fails.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "boundary")]

from cases import PLANTED, WITHOUT_GAIN  # noqa: E402
from harness import BUILD, MPIS, MPISCOPE, run  # noqa: E402

# Parts of the environment that would be settings of their own.
SETTINGS = ("OMPI_MCA_", "UCX_", "MPIR_CVAR_", "MPICH_", "HYDRA_", "MALLOC_", "PRTE_MCA_", "MPISCOPE_", "GLIBC_TUNABLES")
MISSED, FALSE = 1, 1


def built(mpi):
    target = BUILD / "tuned" / mpi / "tuned"
    target.parent.mkdir(parents=True, exist_ok=True)
    source = HERE / "tuned.c"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        run([MPIS[mpi].compiler, "-O2", "-g", source, "-o", target]).ok()
    return target


def tuned(case, budget, work):
    """The result of a case, as JSON has it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    roots = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    launcher = ["--launcher", case.launcher] if case.launcher else []
    words = [MPISCOPE, "tune", "-n", case.ranks, "--budget", budget, "--json", "-o", work, *launcher]
    words += ["--", built(case.mpi), case.program, case.steps]
    # Not `harness.run`: its settings for the launchers would be candidates.
    environment = {**kept, **roots, **case.environment}
    done = subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{case.name}, {case.mpi}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout), done.returncode


def judged(case, budget, work):
    begin = time.monotonic()
    found, code = tuned(case, budget, work)
    best = found["best"]["settings"] if found["best"] else []
    gain = found["compared"]["gain"]
    # Runs that do not agree are compared by their sum.
    if gain and gain["total"]:
        gain = {**gain, "median": gain["total"]["gain"], "low": gain["total"]["low"]}
    is_named = any(text in setting for text in case.best for setting in best)
    is_right = is_named and gain["median"] >= case.least_gain if case.best else not best
    return {
        "case": case.name,
        "mpi": case.mpi,
        "planted": bool(case.best),
        "is_right": is_right,
        "best": best,
        "gain": gain if best else None,
        "baseline_seconds": found["baseline_seconds"],
        "noise": found["noise"],
        "runs": found["runs"],
        "seconds": time.monotonic() - begin,
        "complete": code == 0,
    }


def line(result):
    mark = "  " if result["is_right"] else "! "
    gain = result["gain"]
    text = f"{gain['median']:+6.1%} (at least {gain['low']:.1%}): {' + '.join(result['best'])}" if gain else "no gain claimed"
    cut = "" if result["complete"] else ", budget ended"
    return (
        f"{mark}{result['case']:<32} {result['mpi']:<8}{result['baseline_seconds']:6.2f} s, noise {result['noise']:5.1%},"
        f" {result['runs']:3} runs in {result['seconds']:3.0f} s{cut}: {text}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--mpi", choices=sorted(MPIS))
    parser.add_argument("--budget", default="2m", metavar="TIME")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="tuned."))
    results = []
    try:
        for case in (*PLANTED, *WITHOUT_GAIN):
            if options.names and not any(name in case.name for name in options.names):
                continue
            if not shutil.which(MPIS[case.mpi].compiler) or (options.mpi and case.mpi != options.mpi):
                continue
            results.append(judged(case, options.budget, place / str(len(results))))
            print(line(results[-1]), flush=True)
            if options.json:
                options.json.parent.mkdir(parents=True, exist_ok=True)
                options.json.write_text(json.dumps(results, indent=1) + "\n")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if not results:
        print("tuned: no case has such a name", file=sys.stderr)
        return 1
    missed = [result for result in results if result["planted"] and not result["is_right"]]
    false = [result for result in results if not result["planted"] and not result["is_right"]]
    planted = sum(result["planted"] for result in results)
    print(f"\n{planted - len(missed)} of {planted} planted settings found (at most {MISSED} missed)")
    print(f"{len(false)} of {len(results) - planted} programs without a gain: a gain was claimed (at most {FALSE})")
    return int(len(missed) > MISSED or len(false) > FALSE)


if __name__ == "__main__":
    sys.exit(main())
