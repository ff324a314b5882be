#!/usr/bin/env python3
"""Records planted programs and measures what `mpiscope report` makes of them: precision and recall.

    run.py [NAME ...]            cases whose name contains one of these; all without
    run.py --truth               only what the programs planted, without mpiscope
    run.py --quick               the quick ones, as `make test` has them

`make planted` builds the programs and runs all. README.md says what labels mean and what counts as right.
Exit status: 0; 1 when a bar is not reached or a program fails; 2 when there is nothing to judge.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from labels import LabelError, every_case
from score import Score, disturbed, misplanted, score
from truth import Truth

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "boundary"))

from harness import BUILD, LAUNCHER_ENV, MPIS, MPISCOPE, run  # noqa: E402

# Of one attempt; programs take less than 3 s.
LIMIT_S = 60


class NoExplanation(Exception):
    """The report says nothing that could be judged."""


@dataclass
class Outcome:
    """A case under one MPI."""

    case: object
    mpi: str
    score: Score = None
    # Of the last attempt: seconds by id, share of all the ranks' time.
    planted: dict = field(default_factory=dict)
    seconds: float = 0
    # Why nothing was judged: the program failed, or the machine was too busy for it.
    failed: str = ""
    disturbed: str = ""

    @property
    def name(self):
        return f"{self.case.id} {self.mpi}"

    def as_json(self):
        result = {
            "case": self.case.id,
            "mpi": self.mpi,
            "ranks": self.case.ranks,
            "seconds": round(self.seconds, 3),
            "planted": self.planted,
            "failed": self.failed,
            "disturbed": self.disturbed,
        }
        return {**result, **(self.score.as_json() if self.score else {})}


def built(mpi, jobs):
    command = ["make", "-s", f"-j{jobs}", "-C", HERE, f"MPI={mpi}"]
    subprocess.run(command, check=True, stdout=sys.stderr)


def program_of(case, mpi):
    return BUILD / "planted" / mpi / case.program


def recorded(case, mpi, place):
    """A run under mpiscope, and its truth."""
    path = place / "run.mpiscope"
    command = [MPISCOPE, "run", "-n", case.ranks, "--force", "-o", path, "--", program_of(case, mpi), *case.args]
    return path, stamped(command, place, MPIS[mpi])


def bare(case, mpi, place):
    return stamped([*MPIS[mpi].launcher, "-n", case.ranks, program_of(case, mpi), *case.args], place, MPIS[mpi])


def stamped(command, place, mpi):
    stamps = place / "stamps"
    shutil.rmtree(stamps, ignore_errors=True)
    stamps.mkdir(parents=True)
    done = run(command, cwd=place, env={**mpi.env, "PLANTED_OUT": str(stamps)}, limit_s=LIMIT_S)
    done.ok()
    return Truth(stamps)


def explanation_of(path):
    done = run([MPISCOPE, "report", path, "--json"])
    if done.code not in (0, 1):
        raise AssertionError(str(done))
    report = json.loads(done.out)
    explanation = report.get("explanation")
    if explanation is None:
        raise NoExplanation(
            f"the report of {path} has no “explanation”: this mpiscope ({MPISCOPE}) does not explain runs, or the "
            "run has no events.\nTo judge the planted programs alone, type: make planted ARGS=--truth"
        )
    missing = {"findings", "waits"} - {*explanation}
    if missing:
        raise NoExplanation(f"the explanation of {path} has no {', '.join(sorted(missing))}")
    return explanation


def judged(case, mpi, place, options):
    """Records and judges a case; again when the machine disturbed it, or when it failed and was disturbed."""
    outcome = Outcome(case, mpi)
    for attempt in range(1 + options.retries):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        before = time.monotonic()
        try:
            if options.truth:
                path, truth = None, bare(case, mpi, place)
            else:
                path, truth = recorded(case, mpi, place)
        except (AssertionError, ValueError) as error:
            outcome.failed = str(error)
            continue
        outcome.failed, outcome.seconds = "", time.monotonic() - before
        outcome.planted = {
            id: {"ns": truth.total(id), "share": round(truth.share(id), 4)}
            for id in dict.fromkeys(w.id for w in truth.waits)
        }
        off = [f"{id} is {share:.1%}" for id, share in disturbed(case, truth).items()] + misplanted(case, truth)
        outcome.disturbed = "; ".join(off)
        if not off:
            if path:
                outcome.score = score(case, explanation_of(path), truth)
            break
    return outcome


def percent(part, whole):
    return f"{part / whole:.1%}" if whole else "–"


def line(outcome):
    """A case on one line, and what is wrong below it."""
    head = f"{outcome.case.id:<36} {outcome.mpi:<8}"
    if outcome.failed:
        return f"{head} FAILED\n    " + outcome.failed.rstrip().replace("\n", "\n    ")
    if outcome.disturbed:
        return f"{head} disturbed: {outcome.disturbed}"
    largest = sorted(outcome.planted.items(), key=lambda item: -item[1]["ns"])[:3]
    planted = ", ".join(f"{id} {p['ns'] / 1e6:.1f} ms {p['share']:.1%}" for id, p in largest if p["share"] >= 0.001)
    if not outcome.score:
        return f"{head} {planted or 'no wait'}"
    rows = []
    for e in outcome.score.expected:
        text = f"    {'missed' if e.why else 'found':<7} {e.finding}"
        if e.error is not None:
            text += f" {e.seen_ns / 1e6:.3f} ms, {e.error:+.1%}, {(e.seen_ns - e.planted_ns) / 1e3:+.0f} µs"
        rows.append(text + (f": {e.why}" if e.why else ""))
    rows += [f"    should not be there: {id}, {share:.1%}" for id, share in outcome.score.unexpected.items()]
    rows += [
        f"    waits of rank {rank}: {id} {seen / 1e6:.3f} ms instead of {want / 1e6:.3f} ms"
        for id, rank, want, seen, right in outcome.score.figures
        if not right
    ]
    verdict = "ok" if not any("missed" in r or "should" in r for r in rows) else "WRONG"
    return "\n".join([f"{head} {verdict:<6} planted: {planted or 'no wait'}", *rows])


def summary(outcomes):
    scores = [o.score for o in outcomes if o.score]
    found = sum(s.found for s in scores)
    missed = sum(s.missed for s in scores)
    false = sum(len(s.unexpected) for s in scores)
    figures = [f for s in scores for f in s.figures]
    errors = [abs(e.error) for s in scores for e in s.expected if e.error is not None]
    return {
        "cases": len(outcomes),
        "judged": len(scores),
        "found": found,
        "missed": missed,
        "false": false,
        "precision": found / (found + false) if found + false else None,
        "recall": found / (found + missed) if found + missed else None,
        "figures": len(figures),
        "figures_right": sum(f[-1] for f in figures),
        "median_error": statistics.median(errors) if errors else None,
        "failed": sum(bool(o.failed) for o in outcomes),
        "disturbed": sum(bool(o.disturbed) for o in outcomes),
    }


def verdict(total, options):
    """The exit status, and why."""
    wrong = []
    if total["failed"]:
        wrong.append(f"{total['failed']} programs failed")
    if total["disturbed"] > options.max_disturbed * total["cases"]:
        wrong.append(f"{total['disturbed']} of {total['cases']} were disturbed: is the machine busy?")
    if not options.truth:
        for name, bar in (("precision", options.min_precision), ("recall", options.min_recall)):
            if total[name] is None or total[name] < bar:
                wrong.append(f"{name} is below {bar}")
        right = total["figures_right"]
        if total["figures"] and right < options.min_figures * total["figures"]:
            wrong.append(f"figures right is below {options.min_figures}")
    return wrong


def chosen(options):
    cases = every_case(HERE)
    known = {case.id for case in cases}
    for name in options.names:
        if not any(name in id for id in known):
            raise LabelError(f"no case has “{name}” in its name; --list shows them")
    for mpi in options.mpi.split(",") if options.mpi else MPIS:
        if mpi not in MPIS:
            raise LabelError(f"--mpi takes {' or '.join(MPIS)}, not “{mpi}”")
        if not shutil.which(MPIS[mpi].compiler):
            print(f"planted: {MPIS[mpi].compiler} is not installed; its cases are left out", file=sys.stderr)
            continue
        for case in cases:
            if case.mpi not in (None, mpi) or (options.quick and not case.quick):
                continue
            if not options.names or any(name in case.id for name in options.names):
                yield case, mpi


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="say which cases there are, and run none")
    parser.add_argument("--quick", action="store_true", help="only cases that are marked quick")
    parser.add_argument("--mpi", help="openmpi, mpich or both (default: those that are installed)")
    parser.add_argument("--truth", action="store_true", help="without mpiscope: judge the programs")
    parser.add_argument("--min-precision", type=float, default=0.98, metavar="PART", help="default 0.98")
    parser.add_argument("--min-recall", type=float, default=0.98, metavar="PART", help="default 0.98")
    parser.add_argument(
        "--min-figures", type=float, default=0.95, metavar="PART", help="of waits rank by rank; default 0.95"
    )
    parser.add_argument(
        "--max-disturbed", type=float, default=0.1, metavar="PART", help="of cases; default 0.1"
    )
    parser.add_argument("--retries", type=int, default=3, help="of a disturbed or failed case; default 3")
    parser.add_argument("--json", type=Path, metavar="FILE", help="results for programs; - is stdout")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where runs and stamps stay")
    options = parser.parse_args()

    os.environ.update(LAUNCHER_ENV)
    try:
        cases = list(chosen(options))
    except LabelError as error:
        print(f"planted: {error}", file=sys.stderr)
        return 2
    if options.list:
        for case, mpi in cases:
            wanted = " ".join(e.finding for e in case.expected) or "none"
            print(f"{case.id:<36} {mpi:<8} {case.ranks:>2} ranks{' quick' if case.quick else '':<6} {wanted}")
        return 0
    if not options.truth and not MPISCOPE.is_file():
        print(f"planted: {MPISCOPE} is not built; type: make planted", file=sys.stderr)
        return 2

    for mpi in dict.fromkeys(mpi for _, mpi in cases):
        built(mpi, os.cpu_count() or 2)
    try:
        # Whoever else computes on this machine would be measured too.
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    except PermissionError:
        pass
    place = options.keep or Path(tempfile.mkdtemp(prefix="planted."))
    out = sys.stderr if str(options.json) == "-" else sys.stdout
    outcomes = []
    try:
        for case, mpi in cases:
            outcomes.append(judged(case, mpi, place / f"{case.id}.{mpi}", options))
            print(line(outcomes[-1]), file=out, flush=True)
            if not options.keep:
                shutil.rmtree(place / f"{case.id}.{mpi}", ignore_errors=True)
    except NoExplanation as error:
        print(f"planted: {error}", file=sys.stderr)
        return 2
    finally:
        if not options.keep:
            shutil.rmtree(place, ignore_errors=True)

    total = summary(outcomes)
    wrong = verdict(total, options)
    if options.json:
        text = json.dumps({"summary": total, "cases": [o.as_json() for o in outcomes]}, indent=1) + "\n"
        print(text, end="") if str(options.json) == "-" else options.json.write_text(text)
    print(f"\n{total['cases']} cases, {total['failed']} failed, {total['disturbed']} disturbed", file=out)
    if not options.truth:
        found, missed, false = total["found"], total["missed"], total["false"]
        error = total["median_error"]
        print(
            f"precision {percent(found, found + false)}, recall {percent(found, found + missed)}, "
            f"waits right {percent(total['figures_right'], total['figures'])} of {total['figures']}"
            + (f", median error {error:.2%}" if error is not None else ""),
            file=out,
        )
    for text in wrong:
        print(f"planted: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
