"""Lines of calls that are jumps: the function that makes them has no frame any more."""

import pytest
from harness import HERE

LINES = (HERE / "programs" / "jumps.c").read_text().splitlines()


def line(comment):
    return next(number for number, text in enumerate(LINES, 1) if f"/* {comment} */" in text)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("stack", [[], ["--stack", "4"]], ids=["site", "stack"])
def test_lines_of_a_report(mpi, work, level, stack):
    program = mpi.compile("jumps.c", work / "jumps", level)
    sites = mpi.record(2, program, cwd=work, options=stack).json()["sites"]
    found = {site["call"]: [(frame["function"], frame["line"]) for frame in site["frames"]] for site in sites}
    # Without a frame it is the caller that is known, with or without a stack.
    caller = level == "-O2" or bool(stack)
    for call, function in (("MPI_Allreduce", "sum"), ("MPI_Barrier", "meet")):
        expected = [(function, line(function))] + [("main", line(f"calls {function}"))] * caller
        assert found[call][:len(expected)] == expected, found
    assert found["MPI_Scan"][0] == ("main", line("main"))
