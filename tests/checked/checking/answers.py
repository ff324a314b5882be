"""What `mpiscope check --json` says, as far as this suite looks at it. schemas/check.schema.json describes it."""

import json
import re
from dataclasses import dataclass

# Of the schema.
FORMAT = 1


@dataclass(frozen=True)
class Party:
    """A call that a finding is about, and where the program makes it; None where that is not known."""

    rank: int
    function: str
    file: str = None
    line: int = None


@dataclass(frozen=True)
class Finding:
    """Something that mpiscope says is wrong."""

    id: str
    certain: bool
    parties: tuple
    count: int


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
            if answer["format"] != FORMAT:
                raise ValueError(f"format {answer['format']}")
            return text[: start.start()], [finding(row) for row in answer["findings"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            why = repr(error)
    raise NoAnswer(f"no answer of mpiscope check ({why}): {text[-300:]!r}")


def finding(row):
    if row["confidence"] not in ("certain", "possible"):
        raise ValueError(f"confidence {row['confidence']}")
    return Finding(row["id"], row["confidence"] == "certain", tuple(map(party, row["calls"])), row["count"])


def party(call):
    # The innermost place is the call itself; programs of this suite call MPI without anything between.
    for frame in call["stack"][:1]:
        return Party(call["process"], call["function"], frame["file"], frame["line"])
    return Party(call["process"], call["function"])
