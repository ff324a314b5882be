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
import sys
import tempfile
from pathlib import Path

import recorded
from labels import LabelError, every_case
from suite import BARS, HERE, NoExplanation, built, judged, line, measure, percent, programs_of, summary, verdict

import hosts  # found by suite.py, as harness
from harness import LAUNCHER_ENV, MPIS, MPISCOPE


def chosen(options):
    cases = every_case(HERE)
    known = {case.id for case in cases}
    for name in options.names:
        if not any(name in id for id in known):
            raise LabelError(f"no case has “{name}” in its name; --list shows them")
    if not_here := hosts.why_not():
        print(f"planted: cases of several hosts are left out: {not_here}", file=sys.stderr)
    for mpi in options.mpi.split(",") if options.mpi else MPIS:
        if mpi not in MPIS:
            raise LabelError(f"--mpi takes {' or '.join(MPIS)}, not “{mpi}”")
        if not shutil.which(MPIS[mpi].compiler):
            print(f"planted: {MPIS[mpi].compiler} is not installed; its cases are left out", file=sys.stderr)
            continue
        for case in cases:
            if case.hosts > 1 and not_here:
                continue
            if case.mpi not in (None, mpi) or (options.quick and not case.quick):
                continue
            if not options.names or any(name in case.id for name in options.names):
                yield case, mpi


def record(cases, options):
    """Replaces what `make test` explains. A run that is not judged right is not kept: what is wrong, the machine or
    mpiscope, has to be found out first."""
    wrong = 0
    shutil.rmtree(recorded.NEUTRAL, ignore_errors=True)
    for case, mpi in cases:
        tools, place = recorded.moved(MPISCOPE.parent, programs_of(mpi)), recorded.NEUTRAL / "run"
        for _ in range(1 + options.retries):
            outcome = judged(case, mpi, place, options, tools)
            if is_right := not (outcome.failed or outcome.disturbed or outcome.score.missed or outcome.score.unexpected):
                recorded.kept(place, recorded.archive_of(case, mpi), mpi == next(iter(MPIS)) or case.mpi)
                break
        wrong += not is_right
        print(line(outcome), flush=True)
    shutil.rmtree(recorded.NEUTRAL, ignore_errors=True)
    print(f"\n{len(cases) - wrong} kept, {wrong} not")
    return 1 if wrong else 0


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
    for name, bar, what in (
        ("roots", 0.95, "of cases with a repair: the root cause comes first"),
        ("savings", 0.9, "of repairs that were measured: the saving stated is the measured one"),
        ("silence", 1.0, "of healthy twins: no findings"),
    ):
        parser.add_argument(f"--min-{name}", type=float, default=bar, metavar="PART", help=f"{what}; default {bar}")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="of a case and its repaired twin; default 3")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="processes that compute beside every case")
    parser.add_argument(
        "--max-disturbed", type=float, default=0.1, metavar="PART", help="of cases; default 0.1"
    )
    parser.add_argument("--retries", type=int, default=3, help="of a disturbed or failed case; default 3")
    parser.add_argument("--json", type=Path, metavar="FILE", help="results for programs; - is stdout")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where runs and stamps stay")
    parser.add_argument("--record", action="store_true", help="keep quick cases that are judged right in recorded/")
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
            if case.repair:
                wanted += f"; {'|'.join(case.repair.ids)} saves {'as measured' if case.repair.saves else 'nothing'}"
            print(f"{case.id:<36} {mpi:<8} {case.ranks:>2} ranks{' quick' if case.quick else '':<6} {wanted}")
        return 0
    if not options.truth and not MPISCOPE.is_file():
        print(f"planted: {MPISCOPE} is not built; type: make planted", file=sys.stderr)
        return 2

    for mpi in dict.fromkeys(mpi for _, mpi in cases):
        built(mpi, os.cpu_count() or 2)
    if options.record:
        return record([(case, mpi) for case, mpi in cases if case.quick], options)
    for case, _ in cases:
        case.beside = case.beside or options.load
    place = options.keep or Path(tempfile.mkdtemp(prefix="planted."))
    out = sys.stderr if str(options.json) == "-" else sys.stdout
    outcomes = []
    try:
        for case, mpi in cases:
            outcomes.append(judged(case, mpi, place / f"{case.id}.{mpi}", options))
            if outcomes[-1].repaired and options.repeats:
                measure(outcomes[-1], place / f"{case.id}.{mpi}.bare", options.repeats)
            print(line(outcomes[-1]), file=out, flush=True)
            if not options.keep:
                for name in (f"{case.id}.{mpi}", f"{case.id}.{mpi}.bare"):
                    shutil.rmtree(place / name, ignore_errors=True)
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
        for what, all, right, _ in BARS:
            print(f"{what}: {percent(total[right], total[all])} of {total[all]}", file=out)
        print(
            f"gains by the model: {percent(total['gains_right'], total['gains'])} of {total['gains']} as measured, "
            f"{percent(total['gains_within'], total['gains'])} within their intervals",
            file=out,
        )
        by_replay = total["by_replay"]
        print(
            f"by replay alone (--gains=never): root cause first {percent(by_replay['roots_first'], by_replay['roots'])}, "
            f"saving as measured {percent(by_replay['savings_right'], by_replay['savings'])}",
            file=out,
        )
        if stated := total["savings"] - total["savings_stated"]:
            print(f"savings not stated: {stated}", file=out)
        for id, cases in total["unknown"].items():
            print(f"not judged: {id}, in {cases} cases: no program plants it", file=out)
    for text in wrong:
        print(f"planted: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
