#!/usr/bin/env python3
"""Runs the checked programs under `mpiscope check` and compares its findings with the labels.

    run.py                          all, under both MPIs of Debian
    run.py --class 3 --mpi mpich    one class, one MPI
    run.py --mpi wheel-abi          an MPI from a wheel, which is fetched once
    run.py ssend truncated          programs whose name contains one of these
    run.py --bare                   without mpiscope: do programs do what their labels say?
    run.py --list

Exit status: 0, 1 below a bar, 2 when there is nothing to judge.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from checking.labels import CLASSES, MPIS, WHEELS, LabelError, every_program


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only programs whose name contains one of these")
    parser.add_argument("--mpi", choices=(*MPIS, *WHEELS), action="append", help="default openmpi and mpich")
    parser.add_argument("--class", dest="classes", type=int, action="append", choices=CLASSES.values(), metavar="N")
    parser.add_argument("--sample", type=int, metavar="N", help="N programs of each class, the same every time")
    parser.add_argument("-j", dest="parallel", type=int, default=2, help="programs at once, default 2")
    parser.add_argument("--bare", action="store_true", help="run without mpiscope, and compare with labels")
    parser.add_argument("--bless", action="store_true", help="with --bare: write into labels what wrong twins did")
    parser.add_argument("--list", action="store_true", help="names, ranks and what is expected")
    parser.add_argument("--json", type=Path, metavar="FILE", help="everything, for programs")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="the answers of mpiscope check, one file each")
    return parser.parse_args()


def listed(program):
    ids = ", ".join(" | ".join(ids) for ids in program.expected)
    bare = " ".join(f"{mpi}={'|'.join(sorted(did))}" for mpi, did in program.bare.items())
    return f"{program.name:<42} {program.ranks} ranks  {ids}  ({bare})"


def sampled(programs, count):
    """So many of each class, at equal distances."""
    chosen = []
    for folder in CLASSES:
        rows = [p for p in programs if p.folder == folder]
        chosen += [rows[at * len(rows) // count] for at in range(min(count, len(rows)))] if len(rows) > count else rows
    return chosen


def main():
    wanted = options()
    try:
        programs = every_program()
    except LabelError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    mpis = wanted.mpi or (*MPIS, *(WHEELS if wanted.list else ()))
    programs = [
        p
        for p in programs
        if any(map(p.runs_under, mpis))
        and (not wanted.classes or p.number in wanted.classes)
        and (not wanted.names or any(name in p.name for name in wanted.names))
    ]
    if wanted.sample:
        programs = sampled(programs, wanted.sample)
    if not programs:
        print("run.py: no such program; --list has them", file=sys.stderr)
        return 2
    if wanted.list:
        print("\n".join(map(listed, programs)))
        return 0
    from checking import suite

    for mpi in mpis:
        suite.built(programs, mpi, os.cpu_count())
    if wanted.bare:
        wrong = suite.bare_suite(programs, mpis, wanted.parallel, wanted.bless)
        print("\n".join(["", f"{len(wrong)} things are not as labelled", *wrong]))
        return 1 if wrong else 0
    return check(suite, programs, mpis, wanted)


def check(suite, programs, mpis, wanted):
    from checking.score import summary, verdict

    if not suite.MPISCOPE.is_file():
        print(f"run.py: {suite.MPISCOPE} is not there; set MPISCOPE_BIN_DIR", file=sys.stderr)
        return 2
    if wanted.keep:
        wanted.keep.mkdir(parents=True, exist_ok=True)
    work = suite.jobs_of(programs, mpis)
    outcomes = []
    for outcome in suite.each([(*job, wanted.keep) for job in work], suite.checked, wanted.parallel):
        outcomes.append(outcome)
        for line in suite.misses([outcome]):
            print(line, flush=True)
    total = summary(outcomes)
    wrong = verdict(total)
    print("\n" + suite.table(total))
    print("\n".join(f"NOT GOOD ENOUGH: {text}" for text in wrong))
    if wanted.json:
        rows = [outcome.as_json() for outcome in outcomes]
        wanted.json.parent.mkdir(parents=True, exist_ok=True)
        wanted.json.write_text(json.dumps({**total, "not_good_enough": wrong, "runs": rows}, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
