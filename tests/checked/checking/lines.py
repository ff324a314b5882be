"""Whether the marked lines are those that a debugger knows the calls by: compilers differ."""

import re
import shutil
import subprocess
from pathlib import PurePath

LINE = re.compile(r"^(\S+\.\w+):(\d+)")
CALL = re.compile(r"\b(?:call|jmp|bl|b)q?\s.*<(?:\w*mpi\w*|__tsan_(?!func|init)\w+|mem\w+)@plt>", re.IGNORECASE)


def lines_of_calls(text):
    """(file name, line) of every call of an MPI function, and of accesses that are reported, in what `objdump -d -l` says."""
    at, found = None, set()
    for line in text.splitlines():
        if match := LINE.match(line):
            at = PurePath(match[1]).name, int(match[2])
        elif at and CALL.search(line):
            found.add(at)
    return found


def unknown_marks(program, mpi):
    """Marked lines of a wrong twin on which its debug information sees no call; none if nobody can say."""
    # What is named first may be no call.
    if not shutil.which("objdump") or program.lines == "first" or program.is_python:
        return []
    command = ["objdump", "-d", "-l", "--no-show-raw-insn", program.binary(mpi, "wrong")]
    known = lines_of_calls(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    # objdump gives lines of what a Fortran source includes to the source itself; debug information does not.
    if program.source.suffix == ".F90":
        known |= {(file, line) for _, line in known for file, _ in program.marked}
    if program.lines == "any" and program.marked & known:
        return []
    return sorted(program.marked - known)
