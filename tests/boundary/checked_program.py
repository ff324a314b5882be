"""A program of one source that a test checks, and what was found in it."""

import json


def build(mpi, work, source):
    (work / "program.c").write_text(source)
    mpi.compile(work / "program.c", work / "program")


def findings(work):
    return json.loads((work / "program.mpiscope/check/findings.json").read_text())["findings"]
