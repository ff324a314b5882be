"""What the programs do without mpiscope: whether labels are true."""

import os
import re
import tempfile
from pathlib import Path

from .labels import ROOT
from .processes import limited

RUNTIME = Path(os.environ.get("MPISCOPE_BIN_DIR", ROOT / "target" / "release")) / "libmpiscope_tsan.so"

# A program that has not ended by then hangs. Programs take less than a second.
HANG_S = 6
CRASH = re.compile(r"[Ss]egmentation fault|[Ss]ignal:? \(?(4|6|7|8|11)\b|SIGSEGV|SIGABRT|SIGBUS|EXIT CODE: 13[4569]\b")


def outcome(ended):
    """One of labels.OUTCOMES."""
    if ended.hung:
        return "hangs"
    if ended.code == 0:
        return "ends"
    if ended.code in (134, 135, 136, 139) or CRASH.search(ended.err + ended.out):
        return "crashes"
    return "aborts"


def bare_run(program, mpi, words, hang_s=HANG_S):
    with tempfile.TemporaryDirectory(prefix="checked.") as place:
        command = [*mpi.launcher, "-n", program.ranks, *words]
        return limited(command, Path(place), hang_s, {**mpi.env, **preloaded(program)})


def preloaded(program):
    """The compiler's own runtime of -fsanitize=thread does not get on with every MPI (MPICH 4.0 ends by SIGSEGV)."""
    return {"LD_PRELOAD": str(RUNTIME)} if program.instrumented else {}


def complaints(program, mpi, twin, ended):
    """What a bare run did otherwise than the label says."""
    did = outcome(ended)
    if twin == "right":
        if did != "ends":
            return [f"the right twin {did}: {ended.err.strip()[-400:]}"]
        # A right program says nothing, and no MPI complains of it.
        return [f"the right twin makes its MPI say: {ended.err.strip()[:400]}"] if noise(ended.err) else []
    may = program.bare_under(mpi.name)
    if may is None:
        return [f"{did}, and the label does not say what it does"]
    return [] if did in may else [f"{did}, the label says {'|'.join(sorted(may))}"]


def noise(text):
    return [line for line in text.splitlines() if line.strip() and "came first" not in line]
