#!/usr/bin/env python3
"""Predicts changes of programs, makes them, and compares: `make predicted`.

    run.py [NAME ...]            cases whose name contains one of these; all without
    run.py --rounds 3            alternating runs before and after the change; default 3

For each case the program is recorded once, before the change. `mpiscope predict` replays it and says what the change gains. Then
the program runs without mpiscope, before and after the change in turn. README.md states the bars.
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

import hosts  # noqa: E402
from cases import CASES  # noqa: E402
from harness import BUILD, LAUNCHER_ENV, MPIS, MPISCOPE, run  # noqa: E402

# A rank of MPICH keeps its core busy while it waits: more ranks than cores measure the scheduler.
MOST_RANKS = {"openmpi": 4, "mpich": 2}
# Gains are right within this part of the gain, or of the run.
OF_GAIN, OF_RUN = 0.20, 0.03


def built(mpi):
    target = BUILD / "predicted" / mpi / "predicted"
    target.parent.mkdir(parents=True, exist_ok=True)
    source = HERE / "predicted.c"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        run([MPIS[mpi].compiler, "-O2", "-g", "-Wall", source, "-o", target]).ok()
    return target


def seconds(done):
    done.ok()
    return next(float(line.split()[1]) for line in done.out.splitlines() if line.startswith("seconds "))


class Place:
    """Where a case runs: on this host, or on two that a network joins, one for each side of the change."""

    def __init__(self, case, mpi, ranks, work):
        self.case, self.mpi, self.ranks, self.work = case, MPIS[mpi], ranks, work
        self.clusters = {}

    def cluster(self, side):
        if not self.case.links:
            return None
        link = self.case.links[side == "after"]
        if link not in self.clusters:
            work = self.work / f"hosts{len(self.clusters)}"
            work.mkdir()
            self.clusters[link] = hosts.Cluster(work, {"alpha": 0, "beta": 0}, link=link)
        return self.clusters[link]

    def bare(self, side, *command, env=None):
        cluster = self.cluster(side)
        if cluster is None:
            return self.mpi.bare(self.ranks, *command, env=env)
        order = self.case.order if side == "after" else ()
        return cluster.launch(self.mpi, self.ranks // 2, *command, order=order, env=env, cwd=cluster.work)

    def record(self, *command):
        """The run, before the change."""
        cluster = self.cluster("before")
        # Hosts share only their own directory.
        path = (cluster.work if cluster else self.work) / "before.mpiscope"
        if cluster is None:
            run([MPISCOPE, "run", "-n", self.ranks, "-o", path, "--", *command], env=self.mpi.env).ok()
        else:
            cluster.record(self.mpi, self.ranks // 2, *command, path=path, cwd=cluster.work).ok()
        return path

    def close(self):
        for cluster in self.clusters.values():
            cluster.close()
        shutil.rmtree(self.work, ignore_errors=True)


def measured(case, mpi, place, program, rounds):
    """The share of the time that the change saves: of the medians, and the range of the rounds."""
    times = {"before": [], "after": []}
    for _ in range(rounds):
        for side, of in times.items():
            # A change of variables, of the network or of the order of ranks leaves the program as it is.
            is_same = case.variables or case.order or (case.links and case.links[0] != case.links[1])
            env = case.variables.get(mpi, {}) if side == "after" else {}
            of.append(seconds(place.bare(side, program, case.name, "before" if is_same else side, case.steps, env=env)))
    before, after = (statistics.median(times[side]) for side in ("before", "after"))
    each = [1 - b / a for a, b in zip(times["before"], times["after"])]
    return before, 1 - after / before, min(each), max(each)


def predicted(path, what_if=None):
    words = [MPISCOPE, "predict", path, "--json"]
    words += ["--what-if", what_if] if what_if else []
    return json.loads(run(words).ok().out)


def judged(case, mpi, ranks, rounds, work):
    program = built(mpi)
    work.mkdir()
    place = Place(case, mpi, ranks, work)
    try:
        path = place.record(program, case.name, "before", case.steps)
        found = predicted(path, case.what_if)
        first = predicted(path)["answers"][0]["change"] if case.is_first else None
        time_s, gain, low, high = measured(case, mpi, place, program, rounds)
    finally:
        place.close()
    answer = found["answers"][0]
    own = found["reproduction"]["time"]
    waits = found["reproduction"]["waits"]
    # Errors of waits that do not matter say nothing.
    all_waits = max(sum(row["recorded_ns"] for row in waits), own["recorded_ns"] * ranks // 100)
    wrong_waits = sum(abs(row["recorded_ns"] - row["replayed_ns"]) for row in waits)
    error = abs(answer["gain"] - gain)
    is_right = error <= max(OF_GAIN * abs(gain), OF_RUN)
    # Within the noise there is no direction.
    has_direction = abs(gain) > OF_RUN
    result = {
        "case": case.name + (" (slow network)" if case.links else ""),
        "mpi": mpi,
        "ranks": ranks,
        "seconds": time_s,
        "replay_error": own["replayed_ns"] / own["recorded_ns"] - 1,
        "waits_error": wrong_waits / all_waits,
        "predicted": answer["gain"],
        "measured": gain,
        "measured_range": [low, high],
        "is_right": is_right,
        "is_direction_right": not has_direction or answer["gain"] * gain > 0,
        "is_contradicted": answer["low"] > max(high, 0.0) + OF_RUN,
    }
    if case.is_first:
        result["is_first"] = first.startswith(case.what_if) or case.what_if in first or same_place(case, first)
        result["first"] = first
    return result


def same_place(case, first):
    """`MPI_Barrier=none` is listed by its call site, and so are other changes of calls."""
    return first.startswith("site:") and first.rpartition("=")[2] == case.what_if.rpartition("=")[2]


def line(result):
    mark = "  " if result["is_right"] else "! "
    first = f"  first: {result['first']}" if result.get("is_first") is False else ""
    return (
        f"{mark}{result['case']:<31} {result['mpi']:<8}{result['ranks']:>2} ranks {result['seconds']:6.3f} s"
        f"  replay {result['replay_error']:+6.1%}  waits {result['waits_error']:5.1%}"
        f"  predicted {result['predicted']:+6.1%}  measured {result['measured']:+6.1%}"
        f" ({result['measured_range'][0]:+.1%} to {result['measured_range'][1]:+.1%}){first}"
    )


def share(results, key):
    values = [result[key] for result in results if key in result]
    return sum(values) / len(values) if values else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--mpi", choices=sorted(MPIS), help="only this MPI")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    os.environ.update(LAUNCHER_ENV)
    place = Path(tempfile.mkdtemp(prefix="predicted."))
    results = []
    try:
        for case in CASES:
            if options.names and not any(name in case.name for name in options.names):
                continue
            for mpi in case.mpis():
                if not shutil.which(MPIS[mpi].compiler) or (options.mpi and mpi != options.mpi):
                    continue
                for ranks in case.ranks:
                    if ranks <= MOST_RANKS[mpi]:
                        results.append(judged(case, mpi, ranks, options.rounds, place / str(len(results))))
                        print(line(results[-1]), flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if not results:
        print("predicted: no case has such a name", file=sys.stderr)
        return 1
    bars = {
        "replay of the run itself, median error": (
            statistics.median(abs(r["replay_error"]) for r in results), "at most", 0.05
        ),
        "waits of the replay, median error": (statistics.median(r["waits_error"] for r in results), "at most", 0.10),
        "gain as measured": (share(results, "is_right"), "at least", 0.90),
        "direction right": (share(results, "is_direction_right"), "at least", 0.98),
        "gains that measurement contradicts": (share(results, "is_contradicted"), "at most", 0.02),
        "the best change is first": (share(results, "is_first"), "at least", 0.90),
    }
    print(f"\n{len(results)} cases")
    is_reached = True
    for what, (value, sense, bar) in bars.items():
        reached = value <= bar if sense == "at most" else value >= bar
        is_reached &= reached
        print(f"{'  ' if reached else '! '}{what}: {value:.1%} ({sense} {bar:.0%})")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if is_reached else 1


if __name__ == "__main__":
    sys.exit(main())
