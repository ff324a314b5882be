"""Compares findings with labels. Pure functions: recorded answers are enough to test them."""

import statistics
from dataclasses import dataclass, field
from pathlib import PurePath

from .labels import CLASSES

BARS = {"recall": 0.98, "precision": 0.98, "line": 0.98}
# How soon a deadlock is reported after the standstill, and the share of hangs for which that holds.
TOLD_S = 1.0
TOLD_SHARE = 0.98


@dataclass
class Score:
    """What one twin of a program under one MPI adds up to."""

    found: int = 0
    missed: list = field(default_factory=list)
    # Ids that are neither expected nor true.
    false: list = field(default_factory=list)
    # Of those, the ones that mpiscope is certain of.
    certain: list = field(default_factory=list)
    # Of what was found: lines that had to be named, and that were.
    placed: int = 0
    named: int = 0
    astray: list = field(default_factory=list)


def places(findings, most=None):
    """(file name, line) of the calls that the findings name, or of so many of each."""
    parties = (party for finding in findings for party in finding.parties[:most])
    return {(PurePath(party.file).name, party.line) for party in parties if party.file and party.line}


def spelled(lines):
    return ", ".join(f"{file}:{line}" for file, line in sorted(lines)) or "none"


def score(program, twin, findings):
    """The findings of one twin against the label."""
    result = Score()
    true = {*program.allow_both}
    if twin == "wrong":
        true |= program.allow
        for ids in program.expected:
            true |= {*ids}
            hits = [finding for finding in findings if finding.id in ids]
            if not hits:
                result.missed.append(" | ".join(ids))
                continue
            result.found += 1
            if program.lines == "none":
                continue
            result.placed += 1
            lines = places(hits, 1 if program.lines == "first" else None)
            good = program.marked <= lines if program.lines == "all" else bool(program.marked & lines)
            result.named += good
            if not good:
                result.astray.append(f"{hits[0].id} names {spelled(lines)} instead of {spelled(program.marked)}")
    wrong = {finding.id: False for finding in findings if finding.id not in true}
    for finding in findings:
        if finding.id in wrong:
            wrong[finding.id] |= finding.certain
    result.false = sorted(wrong)
    result.certain = sorted(id for id, certain in wrong.items() if certain)
    return result


def ratio(part, whole):
    return part / whole if whole else None


def summed(scores):
    """Figures of several scores."""
    found = sum(s.found for s in scores)
    missed = sum(len(s.missed) for s in scores)
    false = sum(len(s.false) for s in scores)
    return {
        "found": found,
        "missed": missed,
        "false": false,
        "recall": ratio(found, found + missed),
        "precision": ratio(found, found + false),
        "line": ratio(sum(s.named for s in scores), sum(s.placed for s in scores)),
    }


def summary(outcomes):
    """Figures of a run: per class, macro-averaged, and of the hangs."""
    classes = {}
    for name in CLASSES:
        rows = [o for o in outcomes if o.program.folder == name]
        if rows:
            right = [o.score for o in rows if o.twin == "right"]
            classes[name] = {
                **summed([o.score for o in rows]),
                "programs": len({o.program.name for o in rows}),
                "right": len(right),
                "right_certain": sum(bool(s.certain) for s in right),
            }
    macro = {}
    for key in BARS:
        values = [row[key] for row in classes.values() if row[key] is not None]
        macro[key] = statistics.mean(values) if values else None
    waits = sorted(o.detected_s for o in outcomes if o.detected_s is not None)
    return {
        "classes": classes,
        "macro": macro,
        "right_certain": sum(row["right_certain"] for row in classes.values()),
        "failed": sum(bool(o.failed) for o in outcomes),
        "left_running": sum(o.left for o in outcomes),
        "hangs": {
            "programs": len(waits),
            "median_s": statistics.median(waits) if waits else None,
            "most_s": waits[-1] if waits else None,
            "late": sum(wait > TOLD_S for wait in waits),
        },
    }


def verdict(total):
    """Why the run is not good enough; empty if it is."""
    wrong = [
        f"{key} is {'unknown' if total['macro'][key] is None else format(total['macro'][key], '.3f')}, below {bar}"
        for key, bar in BARS.items()
        if total["macro"][key] is None or total["macro"][key] < bar
    ]
    if total["right_certain"]:
        wrong.append(f"{total['right_certain']} right programs have a certain finding")
    hangs = total["hangs"]
    if hangs["late"] > (1 - TOLD_SHARE) * hangs["programs"]:
        wrong.append(f"{hangs['late']} of {hangs['programs']} hangs were reported later than after {TOLD_S:g} s")
    if total["failed"]:
        wrong.append(f"{total['failed']} runs failed")
    if total["left_running"]:
        wrong.append(f"{total['left_running']} processes were left running")
    return wrong
