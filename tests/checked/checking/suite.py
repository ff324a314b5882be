"""Building, checking and judging the programs, and reporting the result. run.py is the command."""

import functools
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from . import answers
from .bare import bare_run, complaints, outcome
from .labels import WHEELS, write_bare
from .lines import unknown_marks
from .processes import limited
from .score import Score, score

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE.parent / "boundary"), str(HERE.parent / "programs")]

from harness import MPIS, MPISCOPE  # noqa: E402
from wheels import standard_abi, wheel  # noqa: E402

TWINS = ("wrong", "right")
# What mpiscope says on stderr of a program that is stuck.
TOLD = re.compile(rb"^mpiscope: \w+ (deadlock|collective)\.[a-z-]+:", re.MULTILINE)


@dataclass
class Outcome:
    """One twin of a program under one MPI."""

    program: object
    mpi: str
    twin: str
    score: Score = field(default_factory=Score)
    # Why nothing was judged, or what went wrong besides.
    failed: str = ""
    seconds: float = 0
    # From the last moment in which a rank was on its way until the deadlock was reported.
    detected_s: float = None
    left: int = 0

    @property
    def name(self):
        return f"{self.program.name}.{self.twin} {self.mpi}"

    def as_json(self):
        row = {"program": self.program.name, "mpi": self.mpi, "twin": self.twin, "seconds": round(self.seconds, 3)}
        if self.detected_s is not None:
            row["detected_s"] = round(self.detected_s, 3)
        return {**row, "failed": self.failed, "left_running": self.left, **vars(self.score)}


@functools.cache
def mpi_of(name):
    """One of the system, or of a wheel, which is fetched if it was not yet."""
    if name in MPIS:
        return MPIS[name]
    if name == "wheel-abi":
        return standard_abi(mpi_of("wheel-mpich"))
    if name == "wheel-impi":
        from mpi4py_suite import suite_environment

        # Has no compiler, and MPICH's ABI: its library comes before the one that programs were linked with.
        return replace(suite_environment(name)[0], compiler=mpi_of("wheel-mpich").compiler)
    return replace(wheel(WHEELS[name], 2), name=name)


@functools.cache
def python_of(mpi):
    """A Python with mpi4py for this MPI, which is built if it was not yet."""
    from mpi4py_suite import suite_environment

    return suite_environment(mpi)[1]


def words(program, mpi, twin):
    """What to start."""
    return [python_of(mpi), program.source, twin] if program.is_python else [program.binary(mpi, twin)]


def built(programs, mpi, jobs):
    names = [p.name for p in programs if p.runs_under(mpi) and not p.is_python]
    # Without a name make would build all.
    if not names:
        return
    words = [f"MPI={mpi}", *names]
    if mpi in WHEELS:
        compiler = mpi_of(mpi).compiler
        words += [f"FAMILY={WHEELS[mpi]}", f"MPICC={compiler}", f"MPICXX={compiler.replace('mpicc', 'mpicxx')}"]
    subprocess.run(["make", "-s", f"-j{jobs}", "-C", HERE, *words], check=True, stdout=sys.stderr)


def jobs_of(programs, mpis):
    return [(p, mpi, twin) for p in programs for mpi in mpis if p.runs_under(mpi) for twin in TWINS]


def stamped_ns(place):
    """When the last of the ranks was last on its way; None if no rank reported it."""
    stamps = [int(path.read_text()) for path in place.glob("stamp.*") if path.stat().st_size]
    return max(stamps, default=None)


def checked(program, mpi, twin, keep=None):
    """A twin under `mpiscope check`, judged."""
    result = Outcome(program, mpi, twin)
    command = answers.command(MPISCOPE, program.ranks, words(program, mpi, twin), program.options)
    with tempfile.TemporaryDirectory(prefix="checked.") as place:
        place = Path(place)
        ended = limited(command, place, program.limit_s, mpi_of(mpi).env, watch=TOLD)
        stamp, answer = stamped_ns(place), answers.of(place)
    if keep:
        name = f"{program.folder}.{program.source.stem}.{twin}.{mpi}"
        (keep / f"{name}.json").write_text(answer)
        (keep / f"{name}.txt").write_text(ended.err)
    judge(result, ended, answer, stamp)
    return result


def judge(result, ended, answer, stamp):
    """Fills in an outcome from how `mpiscope check` ended and what it left."""
    result.seconds, result.left = ended.seconds, ended.left
    program, twin = result.program, result.twin
    try:
        findings = answers.read(answer)
    except answers.NoAnswer as error:
        result.failed = f"{'no end' if ended.hung else f'exit {ended.code}'}; {error}; {ended.err.strip()[-300:]}"
        findings = []
    else:
        # 10: something is certainly wrong. Else what the program ends with, which is known of right ones.
        certain = any(finding.certain and finding.severity != "hint" for finding in findings)
        wanted = 10 if certain else 0 if twin == "right" else ended.code
        if ended.hung:
            result.failed = f"no end after {program.limit_s} s"
        elif ended.code != wanted:
            result.failed = f"exit {ended.code} instead of {wanted}; {ended.err.strip()[-300:]}"
    result.score = score(program, twin, findings)
    stuck = [f for f in findings if f.id.startswith(("deadlock.", "collective."))]
    if twin == "wrong" and program.hangs(result.mpi) and stuck and stamp:
        # Until people could read it; if it was not seen before the end, until that.
        result.detected_s = max((ended.seen_ns or ended.end_ns) - stamp, 0) / 1e9


def each(work, function, parallel):
    """Results in the order of the work, several at once."""
    with ThreadPoolExecutor(parallel) as pool:
        yield from pool.map(lambda item: function(*item), work)


def bare_suite(programs, mpis, parallel, bless):
    """What all programs do without mpiscope; lines of what is not as labelled."""
    wrong, seen = [], {}

    def one(program, mpi, twin):
        # MPIs may take two ways in such a program; a hang is looked at twice, since machines may be busy.
        command = words(program, mpi, twin)
        ended = bare_run(program, mpi_of(mpi), command)
        if twin == "right" and outcome(ended) == "hangs":
            ended = bare_run(program, mpi_of(mpi), command, 30)
        return program, mpi, twin, ended

    for program, mpi, twin, ended in each(jobs_of(programs, mpis), one, parallel):
        did = outcome(ended)
        if twin == "wrong":
            # A wheel is named only where it does something else than its family.
            if mpi not in WHEELS or did not in (program.bare_under(mpi) or ()):
                seen.setdefault(program.name, (program, {}))[1].setdefault(mpi, set()).add(did)
        bad = complaints(program, mpi_of(mpi), twin, ended)
        if bless and twin == "wrong":
            bad = []
        if twin == "wrong":
            bad += [f"no call stands on {file}:{line}, which is marked" for file, line in unknown_marks(program, mpi)]
        print(f"{program.name + '.' + twin:<46} {mpi:<8} {did:<8} {ended.seconds:5.1f} s", flush=True)
        for text in bad:
            print(f"    {text}", flush=True)
            wrong.append(f"{program.name}.{twin} {mpi}: {text}")
        if ended.left:
            wrong.append(f"{program.name}.{twin} {mpi}: {ended.left} processes left")
    if bless:
        for program, bare in seen.values():
            # Only what was run again is replaced; another way that was seen before stays possible.
            merged = {mpi: program.bare.get(mpi, set()) | bare.get(mpi, set()) for mpi in {*program.bare, *bare}}
            if merged != program.bare:
                write_bare(program, merged)
    return wrong


def percent(value):
    return "–" if value is None else f"{100 * value:.1f}"


def table(total):
    """At most 80 columns; shares in percent."""
    form = "{:<12}{:>9}{:>7}{:>7}{:>6}{:>8}{:>10}{:>7}{:>12}"
    rows = [form.format("class", "programs", "found", "missed", "false", "recall", "precision", "line", "sure*")]
    for name, row in total["classes"].items():
        shares = (percent(row[key]) for key in ("recall", "precision", "line"))
        sure = f"{row['right_certain']}/{row['right']}"
        rows.append(form.format(name, row["programs"], row["found"], row["missed"], row["false"], *shares, sure))
    shares = (percent(total["macro"][key]) for key in ("recall", "precision", "line"))
    rows.append(form.format("mean", "", "", "", "", *shares, total["right_certain"]))
    rows.append("* right twins with a finding that mpiscope is certain of")
    hangs = total["hangs"]
    if hangs["programs"]:
        times = f"{hangs['median_s']:.2f} s after the standstill (median), at most {hangs['most_s']:.2f} s"
        rows.append(f"{hangs['programs']} hangs: reported {times}")
    return "\n".join(rows)


def misses(outcomes):
    """One line for each thing that is not as it should be."""
    for o in outcomes:
        if o.failed:
            yield f"{o.name}: FAILED {o.failed}".replace("\n", " ")
        yield from (f"{o.name}: missed {text}" for text in o.score.missed)
        yield from (f"{o.name}: {text}" for text in o.score.astray)
        for id in o.score.false:
            yield f"{o.name}: should not have {id}{' (certain)' if id in o.score.certain else ''}"
        if o.left:
            yield f"{o.name}: {o.left} processes left running"
