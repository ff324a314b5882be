"""What the boundary tests share: real MPIs, real launchers, `mpiscope` as its users see it.

Everything is observed from outside, through exit codes, text, and `mpiscope report`. The
programs under test come from `examples/`, `tests/counter/` and `programs/`, built by
`make built-programs` (the first two) or on demand (the last).
"""

import csv
import io
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BUILD = ROOT / "build"
BIN = Path(os.environ.get("MPISCOPE_BIN_DIR", ROOT / "target" / "release"))
MPISCOPE = BIN / "mpiscope"
LIBRARY = BIN / "libmpiscope.so"
# crates/run/examples/causality.rs, built beforehand: a compiler takes minutes on a busy machine.
CAUSALITY = next((at for at in (BIN / "causality", BIN / "examples/causality") if at.is_file()), BIN / "causality")
# Long enough for a busy machine; a test that needs it has failed anyhow.
LIMIT_S = 400

# Several jobs share few cores here: nobody may be bound to one, and who waits must give way.
LAUNCHER_ENV = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


def environment(**more):
    """The environment of tests: nothing of mpiscope or of a preload left in it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MPISCOPE_") and k != "LD_PRELOAD"}
    return {**kept, "LC_ALL": "C.UTF-8", **LAUNCHER_ENV, **more}


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    command: list
    code: int
    out: str
    err: str

    def __str__(self):
        words = " ".join(map(str, self.command))
        return f"$ {words}\nexit {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"

    def ok(self):
        assert self.code == 0, str(self)
        return self

    @property
    def lines(self):
        """Lines of stdout in an order that does not depend on who printed first."""
        return sorted(self.out.splitlines())


def run(command, cwd=None, env=None, limit_s=LIMIT_S, text=True):
    """Runs a command to its end; one that exceeds the limit is killed with its children."""
    command = [str(word) for word in command]
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment(**(env or {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        done = Done(command, process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
        raise AssertionError(f"no end after {limit_s} s\n{done}") from None
    if text:
        out, err = out.decode(errors="replace"), err.decode(errors="replace")
    return Done(command, process.returncode, out, err)


@dataclass(frozen=True)
class Mpi:
    """One installed MPI."""

    name: str
    compiler: str
    launcher: tuple
    env: dict = field(default_factory=dict, hash=False)
    # Ranks of MPICH spin while they wait; more of them than cores make no progress to speak of.
    many: int = 4

    @property
    def examples(self):
        return BUILD / "examples" / self.name

    @property
    def counter(self):
        return BUILD / "counter" / self.name / "libmpicount.so"

    def example(self, name):
        path = self.examples / name
        assert path.exists(), f"{path} is not built: make built-programs"
        return path

    def compile(self, source, target, *flags):
        """A program of `programs/` or a given source file."""
        source = HERE / "programs" / source
        run([self.compiler, "-O1", "-g", "-Wall", *flags, source, "-o", target], env=self.env).ok()
        return target

    def bare(self, ranks, *command, cwd=None, env=None):
        """Without mpiscope."""
        return run([*self.launcher, "-n", ranks, *command], cwd=cwd, env={**self.env, **(env or {})})

    def count(self, ranks, *command, cwd):
        """Under the independent counter: the bare run's output, and calls by name over all
        ranks. Calls from callbacks count as calls, as they do in mpiscope."""
        prefix = Path(cwd) / "counted"
        words = ["env", f"MPICOUNT_OUT={prefix}", f"LD_PRELOAD={self.counter}"]
        done = self.bare(ranks, *words, *command, cwd=cwd)
        files = list(Path(cwd).glob("counted.*"))
        assert len(files) == ranks, f"{len(files)} counts\n{done}"
        return done, tally(files)

    def record_counted(self, ranks, *command, cwd, options=(), env=None):
        """`mpirun … mpiscope exec` with the counter in front of the collector: what both say of the
        same run, in which even calls whose number depends on time are the same."""
        path, prefix = Path(cwd) / "both.mpiscope", Path(cwd) / "both"
        chain = self.counter.with_name("libmpicount_chain.so")
        words = [MPISCOPE, "exec", "-o", path, *options, "--", "env", f"MPICOUNT_OUT={prefix}"]
        done = self.bare(ranks, *words, f"LD_PRELOAD={chain}:{LIBRARY}", *command, cwd=cwd, env=env)
        files = list(Path(cwd).glob("both.[0-9]*"))
        assert len(files) == ranks, f"{len(files)} counts\n{done}"
        return Recording(path, done), tally(files)

    def record(self, ranks, *command, cwd, options=(), env=None):
        """`mpiscope run`."""
        path = Path(cwd) / "recorded.mpiscope"
        words = [MPISCOPE, "run", "-n", ranks, "-o", path, *options, "--", *command]
        return Recording(path, run(words, cwd=cwd, env={**self.env, **(env or {})}))

    def record_under_launcher(self, ranks, *command, cwd, options=(), env=None):
        """`mpirun … mpiscope exec`."""
        path = Path(cwd) / "recorded.mpiscope"
        words = [MPISCOPE, "exec", "-o", path, *options, "--", *command]
        return Recording(path, self.bare(ranks, *words, cwd=cwd, env=env))


# Those of the system.
MPIS = {
    "openmpi": Mpi("openmpi", "mpicc.openmpi", ("mpirun.openmpi", "--oversubscribe", "--allow-run-as-root")),
    "mpich": Mpi("mpich", "mpicc.mpich", ("mpirun.mpich",), many=2),
}


def tally(files):
    """Sums lines `MPI_Send 3` and `MPI_Send/callback 1` of several files."""
    sums = {}
    for file in files:
        for line in Path(file).read_text().splitlines():
            name, calls = line.split()
            name = name.removesuffix("/callback")
            sums[name] = sums.get(name, 0) + int(calls)
    return {name: calls for name, calls in sums.items() if calls}


@dataclass(frozen=True)
class Row:
    """A call in a report."""

    count: int
    time_ns: int
    bytes: int
    sent: int
    received: int


@dataclass(frozen=True)
class Recording:
    """A run directory and the command that made it."""

    path: Path
    done: Done

    def ok(self):
        self.done.ok()
        return self

    def spools(self):
        """Where its live buffers were."""
        try:
            lines = (self.path / "spools.txt").read_text().splitlines()
        except OSError:
            return []
        # host, directory; behind a dash what was removed again
        return sorted({Path(line.removeprefix("- ").split(" ", 1)[1]) for line in lines})

    def report(self, *options):
        """`mpiscope report`; a command that was killed or panicked fails the test."""
        done = run([MPISCOPE, "report", self.path, *options])
        assert done.code in (0, 1, 2), str(done)
        assert "panicked" not in done.err, str(done)
        return done

    def page(self, *options, code=0):
        done = self.report(*options)
        assert done.code == code, f"{done}\n{self.done}"
        # Paragraphs are wrapped; tests look for sentences.
        return " ".join(done.out.split())

    def json(self, code=0):
        done = self.report("--json")
        assert done.code == code, f"{done}\n{self.done}"
        return json.loads(done.out)

    def rows(self, ranks=None, code=0):
        """`--by call --csv`, by name."""
        done = self.report("--by", "call", "--csv", *([] if ranks is None else ["--ranks", str(ranks)]))
        assert done.code == code, f"{done}\n{self.done}"
        table = list(csv.DictReader(io.StringIO(done.out)))
        rows = {
            row["call"]: Row(
                *(int(row[key]) for key in ("count", "time_ns", "bytes", "bytes_sent", "bytes_received"))
            )
            for row in table
        }
        assert len(rows) == len(table), f"a call has two rows\n{done}"
        return rows

    def counts(self, ranks=None, code=0):
        return {name: row.count for name, row in self.rows(ranks, code).items()}

    def settled(self):
        """Waits until no rank runs any more: a launcher that kills does not wait for that. (A report
        made in the moment in which a rank ends may count it twice.)"""

        def still():
            done = self.report("--json")
            return done.code != 2 and [rank["fate"]["kind"] for rank in json.loads(done.out)["ranks"]]

        until(lambda: (kinds := still()) and "running" not in kinds, "the end of every rank")
        return self

    def fates(self, code=0):
        """How each rank ended, in the report's words, by rank."""
        table = run([MPISCOPE, "report", self.path, "--json"])
        assert table.code == code, f"{table}\n{self.done}"
        return {rank["rank"]: rank["fate"] for rank in json.loads(table.out)["ranks"]}


def differences(expected, got):
    """Readable: what two tallies do not agree on."""
    names = sorted(set(expected) | set(got))
    return [
        f"{name}: expected {expected.get(name, 0)}, got {got.get(name, 0)}"
        for name in names
        if expected.get(name, 0) != got.get(name, 0)
    ]


def until(condition, what, limit_s=LIMIT_S):
    """Waits for something that must happen; its limit is no claim about speed."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"in {limit_s} s: not {what}")
