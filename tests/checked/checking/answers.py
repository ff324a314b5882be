"""What `mpiscope check --json` says, as far as this suite looks at it. schemas/check.schema.json describes it."""

import json
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Party:
    """A call that a finding is about."""

    rank: int
    function: str
    file: str
    line: int


@dataclass(frozen=True)
class Finding:
    """Something that mpiscope says is wrong."""

    id: str
    certain: bool
    parties: tuple
    count: int
    # CLOCK_MONOTONIC when it was told, if it says so.
    found_ns: int = None


class NoAnswer(Exception):
    """There is nothing to judge: what came instead."""


def read(text):
    """The findings of an answer."""
    return split(text)[1]


def split(text):
    """(what the program itself printed, the findings): both come on stdout, the answer last."""
    why = "no line begins with {"
    for start in re.finditer(r"^\{", text, re.MULTILINE):
        try:
            answer = json.loads(text[start.start() :])
            return text[: start.start()], [finding(row) for row in answer["findings"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            why = repr(error)
    raise NoAnswer(f"no answer of mpiscope check ({why}): {text[-300:]!r}")


def finding(row):
    if row["confidence"] not in ("certain", "possible"):
        raise ValueError(f"confidence {row['confidence']}")
    parties = tuple(
        Party(party.get("rank"), party.get("function"), party.get("file"), party.get("line")) for party in row["parties"]
    )
    return Finding(row["id"], row["confidence"] == "certain", parties, row.get("count", 1), row.get("found_ns"))
