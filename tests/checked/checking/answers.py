"""What `mpiscope check` leaves in its run, as far as this suite looks at it. schemas/check.schema.json describes it."""

import json
from dataclasses import dataclass

# Of the schema.
FORMAT = 1
# Where the run of a check is, and its answer: nothing that the program prints can get into it.
RUN = "run.mpiscope"
ANSWER = f"{RUN}/check/findings.json"


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
    severity: str
    certain: bool
    parties: tuple
    count: int


class NoAnswer(Exception):
    """There is nothing to judge: what came instead."""


def command(mpiscope, ranks, words, options=()):
    """How to check a program; to be run in the directory that `of` then looks at."""
    return [mpiscope, "check", "-n", ranks, "-o", RUN, *options, "--", *words]


def of(place):
    """The text of the answer of a check in a directory; empty if there is none."""
    path = place / ANSWER
    return path.read_text() if path.exists() else ""


def read(text):
    """The findings of an answer."""
    try:
        answer = json.loads(text)
        if answer["format"] != FORMAT:
            raise ValueError(f"format {answer['format']}")
        return [finding(row) for row in answer["findings"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoAnswer(f"no answer of mpiscope check ({error!r}): {text[-300:]!r}") from None


def finding(row):
    if row["confidence"] not in ("certain", "possible"):
        raise ValueError(f"confidence {row['confidence']}")
    return Finding(row["id"], row["severity"], row["confidence"] == "certain", tuple(map(party, row["parties"])), row["count"])


def party(call):
    # The innermost place is the call itself; programs of this suite call MPI without anything between.
    # What touches a buffer may do so in a function of a library.
    stack = call["stack"] if call["function"] else [frame for frame in call["stack"] if frame["file"]]
    for frame in stack[:1]:
        return Party(call["rank"], call["function"], frame["file"], frame["line"])
    return Party(call["rank"], call["function"])
