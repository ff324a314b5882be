#!/usr/bin/env python3
"""Right programs that nobody wrote to be checked: mpiscope must not be certain of anything in them.

    right.py                     all: examples, applications of Debian, mpi4py's own tests
    right.py halo lammps         those whose name contains one of these
    right.py --list

Each is run bare and under `mpiscope check`: same exit code, same output, no certain finding. Findings that are possible
are counted. Exit status: 0, 1 when something is not so, 2 when there is nothing to judge.
"""

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from checking import answers
from checking.processes import limited

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "boundary"), str(HERE.parent / "programs")]

from applications import APPLICATIONS, unlike  # noqa: E402
from harness import BUILD, MPIS, MPISCOPE  # noqa: E402

LIMIT_S = 600
# Arguments of examples that end with a line that is the same every time.
EXAMPLES = {
    **{f"halo2d-{v}": f"halo2d --variant {v}" for v in "blocking irecv_send irecv_isend persistent neighbor".split()},
    **{f"halo2d-{v}": f"halo2d --variant {v} --periodic" for v in "rma_fence rma_pscw rma_lock".split()},
    "solver3": "solver3 20",
    "halo_mpi": "halo_mpi",
    "halo_f08": "halo_f08",
    "bucketsort": "bucketsort",
    "iowrite": "iowrite",
    "callmix": "callmix --reps 3",
    "callmix_mpi": "callmix_mpi 3",
    "callmix_f08": "callmix_f08 3",
    "weakref": "weakref",
    "copyreloc": "copyreloc",
    "nested": "nested",
    "regions": "regions",
    "threads": "threads",
    "sessions": "sessions",
}
# Applications that take a minute at most.
WANTED = ("lammps-lj", "lammps-pppm", "lammps-eam", "lammps-temper", "gromacs-water", "hpcc")
# Modules of mpi4py's suite that misuse MPI on purpose, and look whether it says so.
MISUSES = "test_exceptions|test_errhandler|test_errorcode|test_doc|test_toplevel"
# What is true of programs that are not right in this.
TRUE = {
    # Examples that send to a rank that does not exist, or a negative number of elements, to see the error.
    "callmix": {"argument.rank", "argument.count"},
    "callmix_mpi": {"argument.rank"},
    "callmix_f08": {"argument.rank"},
    "nested": {"argument.rank"},
    # Its latency test hands a token on by MPI_Send before an MPI_Bcast; the next rank receives it after that broadcast.
    "hpcc": {"deadlock.buffering"},
    # It never frees the communicators of its domain decomposition and the vectors of its PME.
    "gromacs-water": {"leak.communicator", "leak.datatype"},
    "mpi4py": {
        # test_comm_topo makes graphs in which a rank names sources that do not name it as a destination.
        "collective.argument",
        # test_util_pkl5 names roots that do not exist, to see the error.
        "argument.root",
        "collective.group-roles",
        # test_ulfm looks into the result of its MPI_Iallreduce before it is complete; a barrier comes before it at one rank.
        "buffer.receive-read",
        "collective.call",
        # test_msgspec sends bytes and receives larger numbers.
        "message.datatype",
        # In test_rma all ranks put to one place; it adds bytes, and swaps derived datatypes.
        "rma.conflict",
        "argument.operation-datatype",
        "argument.datatype",
        # test_subclass does not free the info object of testCreateEnvType.
        "leak.info",
    },
}


@dataclass
class Seen:
    """What a comparison saw."""

    wrong: list = field(default_factory=list)
    # Findings that are right: the program makes this mistake on purpose.
    true: frozenset = frozenset()
    possible: Counter = field(default_factory=Counter)
    bare_s: float = 0
    checked_s: float = 0

    def judge(self, findings):
        for f in findings:
            if f.certain and f.id not in self.true:
                at = ", ".join(f"{p.function} {p.file}:{p.line} on {p.rank}" for p in f.parties[:3])
                self.wrong.append(f"certain: {f.id}, {f.count} times: {at}")
            elif not f.certain:
                self.possible[f.id] += f.count

    def ended(self, bare, checked):
        self.bare_s, self.checked_s = bare.seconds, checked.seconds
        for name, one in (("bare", bare), ("checked", checked)):
            if one.hung:
                self.wrong.append(f"{name}: no end after {LIMIT_S} s")
            if one.left:
                self.wrong.append(f"{name}: {one.left} processes left running")
        if checked.code != bare.code and not (self.true and checked.code == 10 and bare.code == 0):
            self.wrong.append(f"exit status {checked.code}, without mpiscope {bare.code}: {checked.err.strip()[-300:]}")


def folder(place, name):
    (place / name).mkdir(parents=True)
    return place / name


def example(name, mpi, ranks, place):
    words = EXAMPLES[name].split()
    words[0] = mpi.example(words[0])
    bare = limited([*mpi.launcher, "-n", ranks, *words], folder(place, "bare"), LIMIT_S, mpi.env)
    checked = limited(answers.command(MPISCOPE, ranks, words), folder(place, "checked"), LIMIT_S, mpi.env)
    seen = Seen(true=TRUE.get(name, frozenset()))
    seen.ended(bare, checked)
    if last(checked.out) != last(bare.out):
        seen.wrong.append(f"says {last(checked.out)!r}, without mpiscope {last(bare.out)!r}")
    seen.judge(answers.read(answers.of(place / "checked")))
    return seen


def last(text):
    return (text.strip().splitlines() or [""])[-1]


@dataclass(frozen=True)
class Shown:
    """An ended command as applications.py reads it: stdout alone."""

    out: str


def application(app, mpi, ranks, place):
    words = app.words(ranks)
    env = {**mpi.env, **app.environment}
    bare = limited([*mpi.launcher, "-n", ranks, *words], app.enter(place / "bare", ranks), LIMIT_S, env)
    checked = limited(answers.command(MPISCOPE, ranks, words), app.enter(place / "checked", ranks), LIMIT_S, env)
    seen = Seen(true=TRUE.get(app.name, frozenset()))
    seen.ended(bare, checked)
    expected = app.results(place / "bare", Shown(bare.out))
    seen.wrong += unlike(expected, app.results(place / "checked", Shown(checked.out)))
    seen.judge(answers.read(answers.of(place / "checked")))
    return seen


def mpi4py(name, ranks, place):
    import mpi4py_suite as suite

    mpi, python = suite.suite_environment(name)
    tests = suite.source() / "test/main.py"
    leave_out = "|".join([suite.SPAWNS, MISUSES]) + suite.HANGS.get(name, "")

    def words(prefix):
        return [python, suite.HERE / "mpi4py_rank.py", place / prefix, tests, "-q", "-e", leave_out]

    env = {**mpi.env, "OMP_NUM_THREADS": "1"}
    bare = limited([*mpi.launcher, "-n", ranks, *words("bare")], folder(place, "in.bare"), LIMIT_S, env)
    checked = limited(answers.command(MPISCOPE, ranks, words("with")), folder(place, "in.checked"), LIMIT_S, env)
    seen = Seen(true=frozenset(TRUE["mpi4py"]))
    seen.ended(bare, checked)
    a, open_a = suite.outcomes(place / "bare", ranks)
    b, open_b = suite.outcomes(place / "with", ranks)
    if not a:
        seen.wrong.append(f"no test was run: {bare.err.strip()[-300:]}")
    for k in sorted(a | b):
        if a.get(k) != b.get(k):
            seen.wrong.append(f"rank {k[0]} {k[1]}: {a.get(k)} without, {b.get(k)} with")
    seen.wrong += [f"with: {text}" for text in open_b if text not in open_a]
    seen.judge(answers.read(answers.of(place / "in.checked")))
    return seen


def everything():
    """(name, function of a directory) of each; None where something is not installed."""
    for mpi in MPIS.values():
        for name in EXAMPLES:
            if (BUILD / "examples" / mpi.name / EXAMPLES[name].split()[0]).exists():
                yield f"{name} {mpi.name}", lambda place, n=name, m=mpi: example(n, m, 2, place)
            else:
                yield f"{name} {mpi.name}", None
    for app in APPLICATIONS:
        if app.name in WANTED:
            run = None if app.needs else lambda place, a=app: application(a, MPIS["openmpi"], 2, place)
            yield f"{app.name} openmpi", run
    for name in MPIS:
        yield f"mpi4py {name}", lambda place, n=name: mpi4py(n, 2, place)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only those whose name contains one of these")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="working directories, kept")
    options = parser.parse_args()
    chosen = [(n, f) for n, f in everything() if not options.names or any(part in n for part in options.names)]
    if options.list:
        print("\n".join(f"{name}{'' if run else '  (not there)'}" for name, run in chosen))
        return 0
    if not any(run for _, run in chosen):
        print("right.py: nothing to run; build with `make built-programs`, and see --list", file=sys.stderr)
        return 2
    if not MPISCOPE.is_file():
        print(f"right.py: {MPISCOPE} is not there; set MPISCOPE_BIN_DIR", file=sys.stderr)
        return 2
    failed = 0
    base = options.keep or Path(tempfile.mkdtemp(prefix="right."))
    for name, run in chosen:
        if not run:
            print(f"{name:<28} skipped: not installed or not built")
            continue
        place = base / name.replace(" ", ".")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        try:
            seen = run(place)
        except (answers.NoAnswer, AssertionError) as error:
            seen = Seen([str(error)[-1000:]])
        possible = ", ".join(f"{id} {n}" for id, n in seen.possible.items())
        verdict = "WRONG" if seen.wrong else "ok"
        print(f"{name:<28} {seen.bare_s:6.1f} s {seen.checked_s:6.1f} s  {verdict}  {possible}", flush=True)
        for text in seen.wrong[:40]:
            print("    " + text.replace("\n", "\n    "))
        failed += bool(seen.wrong)
    if not options.keep:
        shutil.rmtree(base, ignore_errors=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
