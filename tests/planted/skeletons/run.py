#!/usr/bin/env python3
"""Records skeletons of well-known codes and compares the structure that `mpiscope report` sees with their labels, exactly.

    run.py [NAME ...]             cases whose name contains one of these; all without
    run.py --keep DIR             keeps the runs
    run.py --again DIR            explains the runs of DIR once more, without recording

Exit status: 0, 1 when a fact is not seen as it is, 2 when there is nothing to judge.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "boundary"))

from harness import LIMIT_S, MPIS, MPISCOPE, environment  # noqa: E402

LINE = re.compile(r"^ \* (case|args|fact): *(.*?)$", re.M)


@dataclass
class Case:
    source: Path
    name: str
    ranks: int
    mpi: str = None
    args: list = field(default_factory=list)
    # (what, {key: value})
    facts: list = field(default_factory=list)

    @property
    def id(self):
        return f"{self.source.stem}.{self.name}"


def words(text):
    return dict(w.split("=", 1) if "=" in w else (w, "") for w in text.split())


def every_case():
    for source in sorted(HERE.glob("*.c")):
        case = None
        for key, text in LINE.findall(source.read_text()):
            if key == "case":
                if case:
                    yield case
                w = words(text)
                case = Case(source, w["name"], int(w["ranks"]), w.get("mpi"))
            elif key == "args":
                case.args = text.split()
            else:
                what, _, rest = text.partition(" ")
                if what.startswith("pattern="):
                    what, rest = "pattern", text
                case.facts.append((what, words(rest)))
        if case:
            yield case


def built(case, mpi, place):
    program = place / mpi / case.source.stem
    newest = max(case.source.stat().st_mtime, (HERE / "skeletons.h").stat().st_mtime)
    if not program.exists() or program.stat().st_mtime < newest:
        program.parent.mkdir(parents=True, exist_ok=True)
        flags = ["-O2", "-g", "-std=gnu11", "-Wall", "-Werror", "-Wno-stringop-overflow", "-Wno-stringop-overread"]
        subprocess.run([MPIS[mpi].compiler, *flags, case.source, "-o", program], check=True)
    return program


def recorded(case, mpi, programs, run):
    program = built(case, mpi, programs)
    # Ranks of MPICH spin; those of Open MPI give way already.
    gives_way = ["--yield"] if mpi == "mpich" else []
    command = [MPISCOPE, "run", "--force", *gives_way, "-o", run, "-n", str(case.ranks), program, *case.args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=environment())
    if done.returncode:
        raise RuntimeError(f"{case.id}: exit status {done.returncode}\n{done.stderr}")


def explained(run):
    done = subprocess.run([MPISCOPE, "report", run, "--json"], capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode:
        raise RuntimeError(f"{run}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["explanation"]


def nested(loop):
    """`148`, `3x12`, `35-39`: loops inside of the main one, the outermost first."""

    def of(n):
        return f"{n['least']}" if n["least"] == n["most"] else f"{n['least']}-{n['most']}"
    return "x".join(of(n) for n in loop.get("nested", []))


def calls(loop):
    """`5`, `3-5`: calls of a turn, of the ranks that have fewest and most."""
    of = loop.get("calls") or {}
    least, most = of.get("least"), of.get("most")
    return str(least) if least == most else f"{least}-{most}"


def seen(e, what, key):
    """What the explanation has for a fact."""
    loop, grid = e.get("iterations") or {}, e.get("grid") or {}
    if what == "iterations":
        if key == "warm_up":
            return str((loop.get("warm_up") or {"is_apart": False})["is_apart"] and loop["warm_up"]["count"] or 0)
        if key == "nested":
            return nested(loop)
        if key == "calls":
            return calls(loop)
        return str(loop.get(key))
    if what == "grid":
        if key == "none":
            return "" if not grid else "x".join(map(str, grid["dims"]))
        if key == "dims":
            return "x".join(map(str, grid.get("dims", [])))
        return "".join(str(int(p)) for p in grid.get("periodic", []))
    if what == "phases":
        phases = [p for p in e.get("phases", []) if p["functions"]]
        if key == "groups":
            return str(max((len(p["groups"][0]) for p in phases if p["groups"]), default=0))
        return str(len(phases))
    if what == "pattern":
        if key == "pattern":
            return str(e.get("pattern"))
        return str((e.get("pattern_details") or {}).get(key))
    raise KeyError(what)


def wrong(case, e):
    for what, facts in case.facts:
        for key, value in facts.items():
            have = seen(e, what, key)
            if key == "most":
                if int(have) > int(value) or int(have) < 1:
                    yield f"{what} {have}, at most {value}"
            elif have != value:
                yield f"{what} {key}={have}, not {value}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--mpi", help="openmpi or mpich (default: both)")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--again", type=Path, metavar="DIR")
    options = parser.parse_args()
    place = options.again or options.keep or Path(tempfile.mkdtemp(prefix="skeletons."))
    bad = good = 0
    for case in every_case():
        if options.names and not any(n in case.id for n in options.names):
            continue
        for mpi in MPIS:
            if case.mpi not in (None, mpi) or options.mpi not in (None, mpi):
                continue
            run = place / f"{case.id}.{mpi}"
            try:
                if not options.again or not run.exists():
                    recorded(case, mpi, place / "programs", run)
                faults = list(wrong(case, explained(run)))
            except (RuntimeError, subprocess.SubprocessError) as error:
                faults = [str(error)]
            bad += bool(faults)
            good += not faults
            print(f"{'WRONG' if faults else 'ok   '} {case.id} {mpi}{': ' if faults else ''}{'; '.join(faults)}", flush=True)
    print(f"{good} right, {bad} wrong")
    return 2 if good + bad == 0 else int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
