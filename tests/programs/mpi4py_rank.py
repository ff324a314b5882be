"""One rank of mpi4py's own test suite: python mpi4py_rank.py RESULTS SUITE/test/main.py ARGUMENTS…

Writes `test<TAB>result` into RESULTS.<rank> as tests end, and before each one that it starts, so
that a rank that dies or hangs shows where."""

import os
import runpy
import sys
import unittest

RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")
prefix, main = sys.argv[1:3]
rank = next((os.environ[name] for name in RANKS if name in os.environ), "0")
out = open(f"{prefix}.{rank}", "w", buffering=1)


def noting(method, word):
    """The method of unittest.TestResult, with its outcome noted."""
    original = getattr(unittest.TextTestResult, method)

    def wrapper(self, test, *rest):
        # The reason of a skip is worth comparing; a traceback holds addresses.
        why = f" {rest[0]}" if method == "addSkip" else ""
        if method == "addSubTest":
            if rest[1] is not None:
                out.write(f"{test.id()}\tsubtest failed\n")
        else:
            out.write(f"{test.id() if hasattr(test, 'id') else test}\t{word}{why}\n")
        return original(self, test, *rest)

    setattr(unittest.TextTestResult, method, wrapper)


for method, word in {
    "startTest": "started",
    "addSuccess": "ok",
    "addFailure": "FAIL",
    "addError": "ERROR",
    "addSkip": "skip",
    "addExpectedFailure": "expected failure",
    "addUnexpectedSuccess": "unexpected success",
    "addSubTest": "",
}.items():
    noting(method, word)

sys.argv = [main, *sys.argv[3:]]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(main))
runpy.run_path(main, run_name="__main__")
