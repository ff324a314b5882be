"""Building, recording and judging planted programs, and reporting the result. run.py is the command."""

import contextlib
import json
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from labels import IDS
from score import Repaired, Score, disturbed, first_finding, impossible, misplanted, score
from truth import Truth

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "boundary")]

import hosts  # noqa: E402
from load import load  # noqa: E402
from harness import BUILD, MPIS, MPISCOPE, run  # noqa: E402

# Of one attempt; programs take less than 3 s on a quiet machine.
LIMIT_S = 150
# The network between hosts.
LINK = "1gbit"


class NoExplanation(Exception):
    """The report says nothing that could be judged."""


@dataclass
class Outcome:
    """A case under one MPI."""

    case: object
    mpi: str
    score: Score = None
    # For a case with a repair.
    repaired: Repaired = None
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
        if self.repaired:
            result["repaired"] = self.repaired.as_json()
        return {**result, **(self.score.as_json() if self.score else {})}


def built(mpi, jobs):
    command = ["make", "-s", f"-j{jobs}", "-C", HERE, f"MPI={mpi}"]
    subprocess.run(command, check=True, stdout=sys.stderr)


def programs_of(mpi):
    return BUILD / "planted" / mpi


def recorded(case, mpi, place, tools=None):
    """A run under mpiscope, and its truth. `tools`: where mpiscope and the programs are, if not where they were built."""
    binaries, programs = tools or (MPISCOPE.parent, programs_of(mpi))
    path, mpiscope, program = place / "run.mpiscope", binaries / MPISCOPE.name, programs / case.program
    with hosts_of(case, place) as cluster:
        launcher = ["--launcher", shlex.join(map(str, launcher_of(case, mpi, cluster)))] if cluster else []
        command = [mpiscope, "run", "-n", case.ranks, "--force", "-o", path, *launcher, "--", program, *case.args]
        return path, stamped(command, place, MPIS[mpi], case.beside, cluster)


def bare(case, mpi, place):
    with hosts_of(case, place) as cluster:
        command = [*launcher_of(case, mpi, cluster), "-n", case.ranks, programs_of(mpi) / case.program, *case.args]
        return stamped(command, place, MPIS[mpi], case.beside, cluster)


@contextlib.contextmanager
def hosts_of(case, place):
    """The hosts of a case that has several. They see `place`, which is emptied."""
    if case.hosts == 1:
        yield None
        return
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    with contextlib.closing(hosts.Cluster(place, {f"host{n}": 0 for n in range(case.hosts)}, LINK)) as cluster:
        yield cluster


def launcher_of(case, mpi, cluster):
    return cluster.launcher(MPIS[mpi], case.ranks // case.hosts) if cluster else MPIS[mpi].launcher


def stamped(command, place, mpi, beside=0, cluster=None):
    stamps = place / "stamps"
    shutil.rmtree(stamps, ignore_errors=True)
    stamps.mkdir(parents=True)
    env = {**mpi.env, "PLANTED_OUT": str(stamps)}
    command = cluster.first.words(*command) if cluster else command
    with load(beside):
        # Beside others that are meant to disturb it, nothing goes before them.
        run(command, cwd=place, env={**env, **({"PLANTED_POLITE": "1"} if beside else {})}, limit_s=LIMIT_S).ok()
    return Truth(stamps)


def explanation_of(path, *options):
    done = run([MPISCOPE, "report", path, "--json", *options])
    if done.code not in (0, 1):
        raise AssertionError(str(done))
    report = json.loads(done.out)
    explanation = report.get("explanation")
    if explanation is None:
        raise NoExplanation(
            f"the report of {path} has no “explanation”: this mpiscope ({MPISCOPE}) does not explain runs, or the "
            "run has no events.\nTo judge the planted programs alone, type: make planted ARGS=--truth"
        )
    missing = {"findings", "scope", "waits"} - {*explanation}
    if missing:
        raise NoExplanation(f"the explanation of {path} has no {', '.join(sorted(missing))}")
    return explanation


def off_plan(case, truth):
    """How the run differs from what its labels say, so that it cannot be judged."""
    return [f"{id} is {share:.1%}" for id, share in disturbed(case, truth).items()] + misplanted(case, truth)


def judge_run(outcome, path, truth):
    """Judges a run that is there; `path` is None where only its truth is wanted."""
    outcome.planted = {
        id: {"ns": truth.total(id), "share": round(truth.share(id), 4)} for id in dict.fromkeys(w.id for w in truth.waits)
    }
    # On a machine that is to be busy, what is reported for a healthy program still has to be true.
    is_wanted = outcome.case.beside and outcome.case.nothing
    outcome.disturbed = "" if is_wanted else "; ".join(off_plan(outcome.case, truth))
    if path and not outcome.disturbed:
        explanation = explanation_of(path)
        outcome.failed = "\n".join(impossible(explanation, truth.size))
        outcome.score = score(outcome.case, explanation, truth)
        if outcome.case.repair:
            outcome.repaired = first_finding(outcome.case, explanation)
            by_replay = first_finding(outcome.case, explanation_of(path, "--gains=never"))
            outcome.repaired.by_replay = by_replay
    return outcome


def measure(outcome, place, repeats):
    """Runs the case and its repaired twin by turns, without mpiscope: what the repair really saves."""
    case, repaired = outcome.case, outcome.repaired
    changed = replace(case, args=[*case.args, *case.repair.args])
    elapsed = {"case": [], "changed": []}
    for _ in range(repeats):
        for name, one in (("case", case), ("changed", changed)):
            elapsed[name].append(bare(one, outcome.mpi, place).elapsed_ns)
    medians = {name: statistics.median(times) for name, times in elapsed.items()}
    repaired.run_ns = round(case.ranks * medians["case"])
    repaired.measured_ns = round(case.ranks * (medians["case"] - medians["changed"]))
    # Half of them are as near to the median as this.
    deviations = [statistics.median(abs(t - medians[name]) for t in times) for name, times in elapsed.items()]
    repaired.spread_ns = round(case.ranks * sum(deviations))
    measured = {name: getattr(repaired, name) for name in ("measured_ns", "spread_ns", "run_ns")}
    repaired.by_replay = repaired.by_replay and replace(repaired.by_replay, **measured)


def judged(case, mpi, place, options, tools=None):
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
                path, truth = recorded(case, mpi, place, tools)
        except (AssertionError, ValueError) as error:
            outcome.failed = str(error)
            continue
        outcome.failed, outcome.seconds = "", time.monotonic() - before
        if not judge_run(outcome, path, truth).disturbed:
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
    rows += repair_rows(outcome)
    verdict = "ok" if not any(word in r for r in rows for word in ("missed", "should", "not first")) else "WRONG"
    return "\n".join([f"{head} {verdict:<6} planted: {planted or 'no wait'}", *rows])


def repair_rows(outcome):
    r, rows = outcome.repaired, []
    if not r:
        return rows
    if r.not_first is not None:
        rows.append(f"    {'not first: ' + r.not_first if r.not_first else 'first   ' + r.first}")
    if r.measured_ns is not None:
        how = "right" if r.is_right else "off by more than 20 %" if r.stated_ns is not None else "none is stated"
        how = how if r.is_measured else "the measurement is too noisy"
        stated = f", stated {'at most ' if r.is_bound else ''}{r.stated_ns / 1e6:.1f} ms" if r.stated_ns is not None else ""
        share = f"{r.measured_ns / r.run_ns:.1%} of the run"
        rows.append(f"    saving  measured {r.measured_ns / 1e6:.1f} ms ± {r.spread_ns / 1e6:.1f} ms ({share}){stated}: {how}")
        if r.gain:
            is_right, is_within = r.is_gain_right
            verdict = "right" if is_right else "in its interval" if is_within else "wrong"
            gain, low, high = r.gain
            rows.append(f"    gain    predicted {gain:.1%} ({low:.1%} to {high:.1%}): {verdict}")
    if r.by_replay and r.by_replay.first != r.first:
        rows.append(f"    first by replay alone: {r.by_replay.first}")
    return rows


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
        **bars(outcomes),
        "unknown": unknown(outcomes),
        "failed": sum(bool(o.failed) for o in outcomes),
        "disturbed": sum(bool(o.disturbed) for o in outcomes),
    }


def bars(outcomes):
    """Of how many cases, and of how many of those it is so: the root cause comes first; the saving that is stated is the one
    that was measured; a healthy twin has no findings."""
    repaired = [o.repaired for o in outcomes if o.repaired]
    gains = [r.is_gain_right for r in repaired if r.is_measured and r.gain]
    healthy = [o.score for o in outcomes if o.score and o.case.nothing]
    return {
        "gains": len(gains),
        "gains_right": sum(is_right for is_right, _ in gains),
        "gains_within": sum(is_within for _, is_within in gains),
        **promises(repaired),
        "by_replay": promises([r.by_replay for r in repaired if r.by_replay]),
        "healthy": len(healthy),
        "healthy_silent": sum(not s.unexpected for s in healthy),
    }


def promises(repaired):
    """Of how many the root cause comes first, and of how many the saving that is stated was measured."""
    first = [r for r in repaired if r.not_first is not None]
    measured = [r for r in repaired if r.is_measured]
    return {
        "roots": len(first),
        "roots_first": sum(not r.not_first for r in first),
        "savings": len(measured),
        "savings_stated": sum(r.stated_ns is not None for r in measured),
        "savings_right": sum(r.is_right for r in measured),
    }


def unknown(outcomes):
    """Ids of findings that no label can speak of, with how many cases have them."""
    seen = [id for o in outcomes if o.score for id in o.score.seen if id not in IDS]
    return {id: seen.count(id) for id in sorted({*seen})}


# What, of how many, of these it is so, the option with the bar.
BARS = [
    ("root cause first", "roots", "roots_first", "min_roots"),
    ("saving as measured", "savings", "savings_right", "min_savings"),
    ("silent on healthy twins", "healthy", "healthy_silent", "min_silence"),
]


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
        for what, all, right, bar in BARS:
            if total[all] and total[right] < getattr(options, bar) * total[all]:
                wrong.append(f"{what}: {total[right]} of {total[all]}, below {getattr(options, bar)}")
        right = total["figures_right"]
        if total["figures"] and right < options.min_figures * total["figures"]:
            wrong.append(f"figures right is below {options.min_figures}")
    return wrong
