"""Compares an explanation with labels and with the truth of the same run."""

import re
from dataclasses import asdict, dataclass, field

from labels import IDS, STARVATION, WAITS

# What costs this much of the run must be found; see README.md.
NOTABLE = 0.02
# What is found below this is not counted.
COUNTED = 0.01
# What is true to this extent may be found, whatever the labels say: figures near a threshold differ.
SUPPORTED = 0.005
# The ranks that are named have at least this much of the wait; each of them has at least a part of what the first has.
NAMED = 0.75
LEAST = 0.05
# Waits of which another id is a part. Both ways of counting are right: with the part and without it.
PARTS = {
    "late_sender": ("wrong_order_same_source", "wrong_order_different_source"),
    "early_wait": ("late_complete",),
}
# A pause of the machine in somebody's work that shows: nobody can tell it from work.
PAUSE_NS = 10_000_000
# Of the run, what comes before the first iteration has to be longer than an iteration to be a slow start.
SLOW_START = 0.05
# A saving may differ from what was measured by this part of it, or of the run.
SAVING, SAVING_OF_RUN = 0.2, 0.03
# Of the run: so much time in calls that is no wait may be called unexplained.
OTHERWISE = 0.1
# A figure may always differ by this much.
SLACK_NS = 50_000
# A line may be off by this much: calls span lines.
LINES = 3


@dataclass
class Judged:
    """One expectation, and what was found of it."""

    finding: str
    planted_ns: int = None
    seen_ns: int = None
    why: str = ""  # what is wrong; empty when nothing is

    @property
    def error(self):
        if self.planted_ns and self.seen_ns is not None:
            return (self.seen_ns - self.planted_ns) / self.planted_ns
        return None


@dataclass
class Score:
    """A case's result."""

    expected: list = field(default_factory=list)
    # Ids that should not be there, with their share.
    unexpected: dict = field(default_factory=dict)
    # Figures of `waits`, rank by rank: (id, rank, planted, seen, right).
    figures: list = field(default_factory=list)
    seen: list = field(default_factory=list)

    @property
    def found(self):
        return sum(not e.why for e in self.expected)

    @property
    def missed(self):
        return len(self.expected) - self.found

    def as_json(self):
        judged = [{**asdict(e), "error": e.error} for e in self.expected]
        figures = [dict(zip(("id", "rank", "planted_ns", "seen_ns", "right"), f)) for f in self.figures]
        return {"expected": judged, "unexpected": self.unexpected, "figures": figures, "seen": self.seen}


def close(planted_ns, seen_ns, tolerance):
    return abs(seen_ns - planted_ns) <= max(tolerance * planted_ns, SLACK_NS)


def right(planted_ns, parts_ns, seen_ns, tolerance):
    return close(planted_ns, seen_ns, tolerance) or close(planted_ns - parts_ns, seen_ns, tolerance)


def wrong_ranks(name, wanted, seen, true):
    """What is wrong with the ranks that a finding names. Where the truth says how much each one has, it is enough to
    name most of it, and no mistake to name others who have some of it."""
    total, largest = sum(true.values()), max(true.values(), default=0)
    if true:
        fine = wanted | {r for r, ns in true.items() if ns >= LEAST * largest}
        is_right = seen <= fine and sum(true.get(r, 0) for r in seen) >= NAMED * total
    else:
        is_right = seen == wanted
    return "" if is_right else f"{name} {sorted(seen)} instead of {sorted(wanted)}"


def lines_of(case, function, truth):
    """Where a program calls a function: stamped sites, else lines of its source."""
    sites = {w.event.site for w in truth.waits if w.event.function == function}
    sites |= {e.site for steps in truth.steps.values() for e, _ in steps if e.function == function}
    if not sites:
        text = case.source.read_text().splitlines()
        sites = {f"{case.source.name}:{n}" for n, line in enumerate(text, 1) if re.search(rf"\b{function}\(", line)}
    return {(site.rpartition(":")[0], int(site.rpartition(":")[2])) for site in sites}


def wrong_place(case, wanted, findings, waits, truth):
    """What is wrong with the function and the sites of an expected finding. No site at all is not wrong:
    not every program can be looked into."""
    functions = {w.get("function") for w in waits}
    if waits and wanted.function not in functions:
        return f"in {', '.join(sorted(map(str, functions)))} instead of {wanted.function}"
    seen = {s for f in findings for s in f.get("sites") or []}
    places = [(m[1].rpartition("/")[2], int(m[2])) for s in seen if (m := re.match(r"(\S+?):(\d+)", s))]
    right = lines_of(case, wanted.function, truth)
    if places and not any(file == f and abs(line - n) <= LINES for file, line in places for f, n in right):
        return f"at {', '.join(sorted(seen))} instead of {', '.join(f'{f}:{n}' for f, n in sorted(right))}"
    return ""


def wrong_iterations(wanted, findings, explanation):
    """What is wrong with the iterations that a finding names. One more or less at an end is nothing: whether a turn begins
    with its first call or with the computing before that is not for the suite to say."""
    seen = [tuple(run) for f in findings for run in f.get("iterations") or []]
    loop = explanation.get("iterations") or {}
    first, last = (0, loop.get("count", 0) - 1) if wanted == "all" else wanted
    near = seen and abs(min(seen)[0] - first) <= 1 and abs(max(run[1] for run in seen) - last) <= 1
    text = wanted if wanted == "all" else f"{first}-{last}"
    return "" if near else f"iterations {seen} instead of {text}"


def judge(case, wanted, findings, waits, truth, explanation):
    judged = Judged(wanted.finding)
    if wanted.finding in WAITS:
        judged.planted_ns = truth.total(wanted.finding)
    if not findings:
        judged.why = "not found"
        return judged
    judged.seen_ns = sum(f["cost_ns"] for f in findings)
    ranks = {r for f in findings for r in f["ranks"]}
    causes = {r for f in findings for r in f.get("cause_ranks") or []}
    wrong = []
    if wanted.ranks:
        wrong.append(wrong_ranks("ranks", wanted.ranks, ranks, truth.ranks(wanted.finding)))
    if wanted.cause:
        wrong.append(wrong_ranks("cause", wanted.cause, causes, truth.causes(wanted.finding)))
    if wanted.function:
        wrong.append(wrong_place(case, wanted, findings, waits, truth))
    if wanted.iterations:
        wrong.append(wrong_iterations(wanted.iterations, findings, explanation))
    if wanted.region and wanted.region not in {r for f in findings for r in f.get("regions") or []}:
        wrong.append(f"region {wanted.region} is not named")
    parts_ns = sum(truth.total(part) for part in PARTS.get(wanted.finding, ()))
    if wanted.tolerance is not None and not right(judged.planted_ns, parts_ns, judged.seen_ns, wanted.tolerance):
        wrong.append(f"{judged.seen_ns / 1e6:.3f} ms instead of {judged.planted_ns / 1e6:.3f} ms")
    judged.why = "; ".join(filter(None, wrong))
    return judged


def judge_fact(name, wanted, explanation):
    judged = Judged(name if name != "pattern" else f"pattern={wanted}")
    seen = explanation.get(name)
    if name == "pattern":
        judged.why = "" if seen == wanted else f"{seen} instead of {wanted}"
    elif seen is None:
        judged.why = "not found"
    elif name == "phases":
        judged.why = "" if len(seen) == wanted["count"] else f"{len(seen)} instead of {wanted['count']}"
    elif name == "grid":
        judged.why = "" if seen.get("dims") == wanted["dims"] else f"{seen.get('dims')} instead of {wanted['dims']}"
    else:
        # Whether the warm-up counts as an iteration, and where the last one ends, is not for the suite to say.
        warm_up, count = seen.get("warm_up") or 0, seen.get("count") or 0
        warm_up = warm_up.get("count", 0) if isinstance(warm_up, dict) else int(warm_up)
        if not count - 1 <= wanted["count"] <= count + max(warm_up, 1):
            judged.why = f"count {seen.get('count')} instead of {wanted['count']}"
        elif wanted.get("warm_up", warm_up) != warm_up:
            judged.why = f"warm_up {warm_up} instead of {wanted['warm_up']}"
    return judged


def folded(finding, findings):
    """Is this a symptom of what the machine does to the ranks?"""
    causes = {f["id"]: f.get("caused_by") for f in findings}
    seen, id = set(), finding.get("caused_by")
    while id and id not in seen:
        if id in STARVATION:
            return True
        seen.add(id)
        id = causes.get(id)
    return False


def unexpected(case, findings, truth):
    """Findings that are neither expected nor allowed nor true."""
    # Beside processes that compute, starvation is true of any program.
    starvation = {*STARVATION} if case.beside else {*STARVATION} - case.forbidden
    fine = {e.finding for e in case.expected} | case.allowed | starvation
    wrong = {}
    for f in findings:
        id, share = f["id"], f.get("share") or 0
        if id in fine or folded(f, findings) or (id in WAITS and truth.share(id) >= SUPPORTED):
            continue
        slow_start = truth.first_ns >= max(PAUSE_NS, SLOW_START * truth.inner_ns / truth.size)
        if id == "warm_up" and id not in case.forbidden and slow_start:
            continue
        if id == "unexplained_mpi_time" and truth.otherwise_ns >= OTHERWISE * truth.inner_ns:
            continue
        if id in IDS and (share >= COUNTED or id in case.forbidden):
            wrong[id] = max(share, wrong.get(id, 0))
    return wrong


def figures(case, waits, truth):
    """Every wait of a rank that is large enough to be worth a line, against `waits`."""
    tolerance = {e.finding: e.tolerance for e in case.expected if e.tolerance is not None}
    rows = []
    for id in WAITS:
        for rank, planted_ns in truth.ranks(id).items():
            if planted_ns < NOTABLE * truth.inner_ns / truth.size:
                continue
            parts_ns = sum(truth.total(part, rank=rank) for part in PARTS.get(id, ()))
            seen_ns = sum(w["wait_ns"] for w in waits if w["id"] == id and w["rank"] == rank)
            rows.append((id, rank, planted_ns, seen_ns, right(planted_ns, parts_ns, seen_ns, tolerance.get(id, 0.05))))
    return rows


def impossible(explanation, size):
    """What cannot be, in any run."""
    wrong = []
    for name, value in (explanation.get("efficiency") or {}).items():
        if isinstance(value, (int, float)) and not 0 <= value <= 1:
            wrong.append(f"efficiency: {name} {value}")
    for f in explanation["findings"]:
        if f["cost_ns"] < 0 or not 0 <= (f.get("share") or 0) <= 1:
            wrong.append(f"{f['id']}: cost_ns {f['cost_ns']}, share {f.get('share')}")
        ranks = [*f["ranks"], *(f.get("cause_ranks") or [])]
        if not all(0 <= r < size for r in ranks):
            wrong.append(f"{f['id']}: ranks {ranks} of a run with {size}")
        if f.get("confidence", "high") not in ("high", "medium", "low"):
            wrong.append(f"{f['id']}: confidence {f['confidence']}")
    return wrong


def score(case, explanation, truth):
    """What an explanation is worth for a case."""
    findings, waits = explanation["findings"], explanation["waits"]

    def those(rows, id):
        return [row for row in rows if row["id"] == id]

    result = Score(seen=sorted({f["id"] for f in findings}))
    for wanted in case.expected:
        id = wanted.finding
        result.expected.append(judge(case, wanted, those(findings, id), those(waits, id), truth, explanation))
    result.expected += [judge_fact(name, wanted, explanation) for name, wanted in case.facts]
    result.unexpected = unexpected(case, findings, truth)
    result.figures = figures(case, waits, truth)
    return result


@dataclass
class Repaired:
    """What the first finding says can be saved, by the model or by replay, and what doing it has saved. Times are those of
    all ranks together."""

    first: str = None
    # What is wrong with the finding that comes first; None where the repair is to change nothing.
    not_first: str = None
    # None: nothing is stated, or not measured.
    stated_ns: int = None
    # What is stated is the most that could be saved.
    is_bound: bool = False
    measured_ns: int = None
    spread_ns: int = None
    run_ns: int = None
    # The part of the run's time that the model predicts for the repair, with its interval.
    gain: tuple = None
    # The same by replay alone: `report --gains=never`.
    by_replay: "Repaired" = None

    def slack_ns(self):
        return max(SAVING * abs(self.measured_ns), SAVING_OF_RUN * self.run_ns)

    @property
    def is_measured(self):
        """Is the measurement good enough to judge by?"""
        return self.measured_ns is not None and self.spread_ns <= self.slack_ns()

    @property
    def is_right(self):
        if self.stated_ns is None:
            return False
        off_ns = self.stated_ns - self.measured_ns
        return -self.slack_ns() <= off_ns and (self.is_bound or off_ns <= self.slack_ns())

    @property
    def is_gain_right(self):
        """Is the gain the measured one, and is that what its interval says?"""
        gain, *interval = (round(part * self.run_ns) for part in self.gain)
        slack_ns = self.slack_ns()
        is_within = interval[0] - slack_ns <= self.measured_ns <= interval[1] + slack_ns
        return abs(gain - self.measured_ns) <= slack_ns, is_within

    def as_json(self):
        right = self.is_right if self.is_measured else None
        return {**asdict(self), "is_measured": self.is_measured, "is_right": right}


def first_finding(case, explanation):
    """The finding that is named first, against the repair of the case. Where the repair changes nothing, what is promised
    for it: nothing, if it is not found at all."""
    findings, scope = explanation["findings"], explanation["scope"]
    # Ranks that are done early wait in MPI_Finalize, which is no part of the rank time but of the run.
    whole = scope["ranks"] * (scope["end_ns"] - scope["start_ns"]) / max(scope["rank_time_ns"], 1)

    def stated(change):
        if gain := change.get("gain"):
            return round(max(gain["gain"], 0) * scope["ranks"] * (scope["end_ns"] - scope["start_ns"]))
        savable_ns = change.get("savable_ns")
        return None if savable_ns is None else round(savable_ns * whole)

    if case.beside:
        findings = [f for f in findings if f["id"] not in STARVATION or f["id"] in case.repair.ids]
    repair, first = case.repair, findings[0] if findings else {}
    result = Repaired(first=first.get("id"))
    if not repair.saves:
        # A finding that states a cost alone promises nothing.
        promised = [stated(f) or 0 for f in findings if f["id"] in repair.ids]
        result.stated_ns, result.is_bound = max(promised, default=0), True
        return result
    gains = [f["gain"] for f in findings if f["id"] in repair.ids and f.get("gain")]
    if gains:
        result.gain = tuple(gains[0][part] for part in ("gain", "low", "high"))
    causes = {*(first.get("cause_ranks") or [])}
    if result.first not in repair.ids:
        result.not_first = f"{result.first or 'nothing'} comes first instead of {' or '.join(repair.ids)}"
    elif repair.cause and causes and causes != repair.cause:
        result.not_first = f"{result.first} is due to {sorted(causes)} instead of {sorted(repair.cause)}"
    else:
        result.not_first = ""
        ways = [first, *first.get("alternatives", [])][repair.alternative :]
        if ways:
            is_bound = ways[0].get("is_bound", False) and not ways[0].get("gain")
            result.stated_ns, result.is_bound = stated(ways[0]), is_bound
    return result


def disturbed(case, truth):
    """Ids that a twin must not have, and that the machine has given it so much of that they would have to be found."""
    return {id: truth.share(id) for id in case.forbidden if id in WAITS and truth.share(id) >= NOTABLE}


def misplanted(case, truth):
    """What labels promise and the program has not done: a mistake in the program, or no time for it. And what it has
    done without wanting to: a pause of the machine."""
    wrong = []
    if truth.overslept_ns >= max(PAUSE_NS, NOTABLE * truth.inner_ns / truth.size):
        wrong.append(f"the machine stood still for {truth.overslept_ns / 1e6:.1f} ms")
    for e in case.expected:
        if e.finding not in WAITS:
            continue
        share = truth.total(e.finding) / truth.run_ns
        if share < NOTABLE:
            wrong.append(f"{e.finding} is {share:.1%} of the run")
        if e.ranks:
            wrong.append(wrong_ranks(f"{e.finding} of ranks", e.ranks, main(truth.ranks(e.finding)), {}))
        if e.cause:
            wrong.append(wrong_ranks(f"{e.finding} caused by", e.cause, main(truth.causes(e.finding)), {}))
    return [*filter(None, wrong)]


def main(by_rank):
    """The ranks that matter: those with a fifth of the largest share."""
    least = max(by_rank.values(), default=0) / 5
    return {rank for rank, ns in by_rank.items() if ns >= least}
