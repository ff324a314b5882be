"""`mpiscope bench` beside programs of others that measure the same, NetPIPE and the HPC Challenge benchmark, in turn with it; and what its
calls cost.

A row compares the median of mpiscope with the best value that the other program reports. Both report the time of one message in a ping-pong;
NetPIPE and HPC Challenge the best of some repetitions.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess

from . import stats
from .setup import BENCH, CFLAGS, ROOT, TARGET, WORK, run

# Bytes of messages; NetPIPE measures these and 1.5 times each.
SIZES = [8 << 3 * k for k in range(7)]
NETPIPE = {"openmpi": "NPopenmpi", "mpich": "NPmpich2"}
# Of the profile and of the summary of HPC Challenge.
STREAM = {
    "copy_memory": "SingleSTREAM_Copy", "triad_memory": "SingleSTREAM_Triad",
    "copy_memory_all": "StarSTREAM_Copy", "triad_memory_all": "StarSTREAM_Triad",
}
# HPC Challenge's ping-pong.
SHORT, LONG = 8, 2_000_000
# Of HPC Challenge's matrix. Its share on a rank has the size of STREAM's three arrays together, 196 MB.
ORDER = 7000
RANKS = 2


def netpipe(mpi, tool, options):
    """One message of a ping-pong, by size."""
    program = shutil.which(NETPIPE[mpi.name])
    if program is None:
        stats.warn(f"no {NETPIPE[mpi.name]}: netpipe is left out (apt install netpipe-{'openmpi' if mpi.name == 'openmpi' else 'mpich2'})")
        return

    def theirs():
        out = tool.scratch / "np.out"
        run([*mpi.command(RANKS, program), "-l", SIZES[0], "-u", SIZES[-1], "-p", 0, "-o", out], cwd=tool.scratch)
        rows = (line.split() for line in out.read_text().splitlines())
        return {int(bytes_): 1e9 * float(s) for bytes_, _, s in rows}

    def ours():
        return ping_pong(profile(mpi, tool, "pingpong/ping-pong", 15, SIZES[-1]))

    samples = stats.alternate(options.rounds, {"none": theirs, "bench": ours}, f"{mpi.name} netpipe")
    for bytes_ in SIZES:
        yield against_best("netpipe", mpi, f"ping-pong, {bytes_} B, time", samples, bytes_, min)


def hpcc(mpi, tool, options):
    """Ping-pong at two sizes, and rates of memory."""
    program = shutil.which("hpcc")
    if program is None or mpi.name != "openmpi":
        stats.warn(f"no hpcc for {mpi.name}: left out (Debian's is for Open MPI: apt install hpcc)")
        return
    example = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
    text = re.sub(r"(?m)^1000( +Ns)$", rf"{ORDER}\1", example.read_text())
    text = re.sub(r"(?m)^2( +Ps)$", r"1\1", text)
    (tool.scratch / "hpccinf.txt").write_text(text)

    def theirs():
        (tool.scratch / "hpccoutf.txt").unlink(missing_ok=True)
        run(mpi.command(RANKS, program), cwd=tool.scratch, timeout=900)
        found = dict(re.findall(r"^(\w+)=([\d.e+-]+)$", (tool.scratch / "hpccoutf.txt").read_text(), re.M))
        times = {"short": 1e3 * float(found["MinPingPongLatency_usec"]), "long": LONG / float(found["MaxPingPongBandwidth_GBytes"])}
        return times | {id_: RANKS ** id_.endswith("_all") * float(found[name]) for id_, name in STREAM.items()}

    def ours():
        times = ping_pong(profile(mpi, tool, "pingpong/ping-pong", 15, 4 << 20))
        (below, low), (above, high) = (1536 << 10, times[1536 << 10]), (2 << 20, times[2 << 20])
        long = low + (high - low) * (LONG - below) / (above - below)
        rates = {p["id"]: p["value"] / 1e9 for p in profile(mpi, tool, "memory", 20, SHORT)["parameters"]}
        return {"short": times[SHORT], "long": long} | {id_: rates[id_] for id_ in STREAM}

    samples = stats.alternate(min(options.rounds, 3), {"none": theirs, "bench": ours}, f"{mpi.name} hpcc")
    yield against_best("hpcc", mpi, f"ping-pong, {SHORT} B, time", samples, "short", min)
    yield against_best("hpcc", mpi, f"ping-pong, {LONG} B, time", samples, "long", min)
    for id_, name in STREAM.items():
        yield against_best("hpcc", mpi, f"{name}, rate", samples, id_, max)


def against_best(measure, mpi, case, samples, quantity, best):
    """mpiscope's values, in percent of the best one of the other program; None if either is missing."""
    if not {"none", "bench"} <= samples.keys():
        return None
    reference, values = best(samples["none"][quantity]), samples["bench"][quantity]
    differences = [100 * (value - reference) / reference for value in values]
    return stats.Row(
        measure, mpi.name, case, "%", None, control=reference, value=stats.median(values), added=stats.median(differences),
        spread=stats.mad(differences), best=100 * (best(values) - reference) / reference, runs=len(values),
        samples={name: numbers[quantity] for name, numbers in samples.items()},
    )


def profile(mpi, tool, experiment, budget_s, max_bytes):
    """A machine profile with one experiment."""
    path = tool.scratch / "host.machine"
    words = ["-o", path, "--force", "--budget", budget_s, "--max-bytes", max_bytes, experiment]
    run([tool.program, "bench", "-n", RANKS, "--launcher", mpi.mpirun, *words])
    return json.loads((path / "machine.json").read_text())


def ping_pong(found):
    """Median time of a message, ns, by size."""
    [curve] = [c for c in found["curves"] if c["series"] == "ping-pong"]
    return {p["x"]: p["median_ns"] for p in curve["points"]}


def harness(mpi, tool, options):
    """What a call of MPI costs an experiment beyond a call through a pointer: an empty MPI_Send in both ways."""
    empty = WORK / "libempty.so"
    run(["cc", *CFLAGS, "-shared", "-fPIC", BENCH / "empty.c", "-o", empty])
    stats.progress("building call_cost")
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "mpiscope-mpi", "--example", "call_cost"], cwd=ROOT, check=True)
    [library] = set(re.findall(r"=> (\S*/libmpi\w*\.so\S*)", run(["ldd", mpi.programs / "percall"])))
    words = [TARGET / "release/examples/call_cost", library]
    costs = [list(map(float, run(words, env={**os.environ, "LD_PRELOAD": str(empty)}).split())) for _ in range(options.rounds)]
    through, direct, added = zip(*costs)
    yield stats.Row(
        "harness", mpi.name, "empty MPI_Send", "ns", 2.0, control=stats.median(direct), value=stats.median(through),
        added=stats.median(added), spread=stats.mad(added), best=min(added), runs=len(costs),
        samples={"none": list(direct), "bench": list(through)},
    )
