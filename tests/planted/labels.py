"""The labels in the headers of planted programs: how each is run, and what must be found. README.md has the grammar."""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

# Generated from the rules themselves, and a test fails when it is stale: no list of rules has to be kept here.
CATALOGUE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "rules.md"


def rules_by_subject():
    """Ids of all rules, by the heading that they are below."""
    rules, heading = {}, ""
    for line in CATALOGUE.read_text().splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("### "):
            rules.setdefault(heading, []).append(line[4:])
    return rules


RULES = rules_by_subject()
IDS = {id for ids in RULES.values() for id in ids}
# Waits that truth.py computes from stamps; of all others it can only be compared whether they are found, and where.
WAITS = RULES["Wait states"]
# What the machine does to the ranks: true on a busy one, whatever a program plants.
STARVATION = RULES["The machine"]
# Rules that no program here plants, and why.
UNPLANTED = {
    "out_of_order": "it is part of unexpected_messages, whose program receives in reversed order",
    "deadlock": "the program would not end: tests/boundary/test_stuck.py has programs and ends them",
    "stuck": "the program would not end: tests/boundary/test_stuck.py has programs and ends them",
    "cpu_limit": "it needs a control group with a limit, which a test may not create on every machine: crates/analysis/src/machine/tests.rs",
    "saturated_memory": "it needs a host whose memory is slower than its cores together, and its profile; crates/analysis/src/attainable/tests.rs has the pattern",
    "saturated_network": "it needs two hosts and the profile of their network: tests/boundary/test_bench_hosts.py has them",
    "uneven_frequency": "it needs cores of different frequencies: crates/analysis/src/machine/tests.rs",
}
PATTERNS = {"halo", "ring", "alltoall", "master_worker", "tree", "pairs", "irregular"}
FACTS = {"iterations": {"count", "warm_up"}, "grid": {"dims"}, "phases": {"count"}}
LINE = re.compile(r"^[\s*!/C]*(case|args|expect|allow|fact|repair): *(.*?)(?: *\*/)?$")


class LabelError(Exception):
    """A label that cannot be meant: where, what, and what would be right."""


@dataclass(frozen=True)
class Expectation:
    """A finding that has to be there."""

    finding: str
    # Ranks it costs time, and ranks that are the cause; empty where any will do.
    ranks: frozenset = frozenset()
    cause: frozenset = frozenset()
    function: str = None
    region: str = None
    # Of what was planted; None where the cost is not compared.
    tolerance: float = None
    # First and last iteration that it costs; "all"; None where it is not compared.
    iterations: object = None


@dataclass(frozen=True)
class Repair:
    """What becomes of the case when what is advised is done, and which finding has to come first."""

    # Any of them is right.
    ids: tuple
    args: tuple
    # Of the first finding; empty where any will do.
    cause: frozenset = frozenset()
    # False: the advice changes nothing, so that nothing may be promised for it.
    saves: bool = True
    # Which of the finding's alternatives is done, from 1; 0: what it advises first.
    alternative: int = 0


@dataclass
class Case:
    """A program with arguments and what must be found in its run."""

    source: Path
    name: str
    ranks: int
    mpi: str = None
    quick: bool = False
    args: list = field(default_factory=list)
    expected: list = field(default_factory=list)
    # Ids that may be found or not.
    allowed: set = field(default_factory=set)
    facts: list = field(default_factory=list)
    # Ids that another case of this program has and this one must not have.
    forbidden: set = field(default_factory=set)
    # `expect: none` was written: nothing forgotten.
    nothing: bool = False
    # Processes that compute beside it.
    beside: int = 0
    # Hosts that its ranks are on, joined by a network of 1 Gbit/s.
    hosts: int = 1
    repair: Repair = None

    @property
    def program(self):
        return self.source.stem

    @property
    def id(self):
        return f"{self.program}.{self.name}"


def pairs(text, known, where):
    words = {}
    for word in shlex.split(text):
        key, equals, value = word.partition("=")
        if key not in known or bool(equals) == (key == "quick"):
            raise LabelError(f"{where}: “{word}” is none of: {', '.join(sorted(known))}")
        words[key] = value
    return words


def ranks_of(text):
    return frozenset(map(int, text.split(","))) if text else frozenset()


def known_id(name, where):
    if name not in IDS:
        raise LabelError(f"{where}: no finding is called “{name}”; labels.py lists those that are")
    return name


def iterations_of(text, where):
    if text in (None, "all"):
        return text
    if not re.fullmatch(r"\d+-\d+", text):
        raise LabelError(f"{where}: iterations are “all” or like 20-34, not “{text}”")
    return tuple(map(int, text.split("-")))


def expectation(text, where):
    words = pairs(text, {"finding", "ranks", "cause", "function", "region", "seconds", "tolerance", "iterations"}, where)
    if "finding" not in words:
        raise LabelError(f"{where}: an expectation needs finding=ID, or is “none”")
    if words.get("seconds", "planted") != "planted" or ("seconds" in words) != ("tolerance" in words):
        raise LabelError(f"{where}: seconds=planted goes with tolerance=N%")
    if "seconds" in words and words["finding"] not in WAITS:
        raise LabelError(f"{where}: nothing measures the seconds of {words['finding']}")
    tolerance = words.get("tolerance")
    if tolerance and not re.fullmatch(r"\d+%", tolerance):
        raise LabelError(f"{where}: a tolerance looks like 5%, not “{tolerance}”")
    return Expectation(
        known_id(words["finding"], where),
        ranks_of(words.get("ranks")),
        ranks_of(words.get("cause")),
        words.get("function"),
        words.get("region"),
        int(tolerance[:-1]) / 100 if tolerance else None,
        iterations_of(words.get("iterations"), where),
    )


def fact(text, where):
    """("iterations", {"count": 11}), ("grid", {"dims": [5, 5]}), ("pattern", "halo")."""
    name, _, rest = text.partition(" ")
    if name.startswith("pattern="):
        if name[8:] not in PATTERNS:
            raise LabelError(f"{where}: pattern is one of {', '.join(sorted(PATTERNS))}")
        return "pattern", name[8:]
    if name not in FACTS:
        raise LabelError(f"{where}: a fact is pattern=NAME or one of {', '.join(FACTS)} with numbers")
    words = pairs(rest, FACTS[name], where)
    return name, {key: [*map(int, v.split("x"))] if key == "dims" else int(v) for key, v in words.items()}


def repair(text, where):
    words = pairs(text, {"root", "of", "cause", "saves", "args", "alternative"}, where)
    saves = {"measured": True, "nothing": False}.get(words.get("saves"))
    if saves is None:
        raise LabelError(f"{where}: a repair needs saves=measured or saves=nothing")
    if ("root" in words) != saves or ("of" in words) == saves:
        raise LabelError(f"{where}: saves=measured goes with root=ID|ID, saves=nothing with of=ID|ID")
    ids = tuple(known_id(id, where) for id in words.get("root", words.get("of")).split("|"))
    args, which = tuple(words.get("args", "--repaired").split()), int(words.get("alternative", 0))
    return Repair(ids, args, ranks_of(words.get("cause")), saves, which)


def cases_of(source):
    """The cases of one program, in the order of its header."""
    cases = []
    for number, line in enumerate(source.read_text().splitlines(), 1):
        match = LINE.match(line)
        if not match:
            continue
        where, (kind, text) = f"{source.name}:{number}", match.groups()
        if kind == "case":
            words = pairs(text, {"name", "ranks", "mpi", "quick", "beside", "hosts"}, where)
            if not {"name", "ranks"} <= {*words}:
                raise LabelError(f"{where}: a case needs name= and ranks=")
            cases.append(Case(source, words["name"], int(words["ranks"]), words.get("mpi"), "quick" in words))
            cases[-1].beside, cases[-1].hosts = int(words.get("beside", 0)), int(words.get("hosts", 1))
            if cases[-1].hosts > 1 and (cases[-1].mpi != "openmpi" or cases[-1].ranks % cases[-1].hosts):
                raise LabelError(f"{where}: several hosts go with mpi=openmpi and equally many ranks on each")
        elif not cases:
            raise LabelError(f"{where}: {kind} comes after a case")
        elif kind == "args":
            cases[-1].args = text.split()
        elif kind == "expect" and text == "none":
            cases[-1].nothing = True
        elif kind == "expect":
            cases[-1].expected.append(expectation(text, where))
        elif kind == "allow":
            cases[-1].allowed |= {known_id(word, where) for word in text.split()}
        elif kind == "repair":
            cases[-1].repair = repair(text, where)
        else:
            cases[-1].facts.append(fact(text, where))
    ids = {e.finding for case in cases for e in case.expected}
    for case in cases:
        if case.nothing == bool(case.expected):
            raise LabelError(f"{source.name}: case {case.name} needs findings or “expect: none”, not both")
        # A twin may share a finding with its program where it says so.
        case.forbidden = ids - {e.finding for e in case.expected} - case.allowed
    if len({case.name for case in cases}) < len(cases):
        raise LabelError(f"{source.name}: two cases have one name")
    return cases


def every_case(place):
    """All cases of a directory."""
    found = []
    for source in sorted([*place.glob("*.c"), *place.glob("*.F90"), *place.glob("*.F")]):
        found += cases_of(source)
    return found
