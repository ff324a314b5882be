"""Bytes: in the ring for each record, and in memory beyond the ring."""

from __future__ import annotations

from . import stats
from .calls import CASES
from .jobs import job
from .rankfile import RingUse
from .setup import run
from .stats import RunFailed, warn

SOLVER_BAR_BYTES, WORST_BAR_BYTES, MEMORY_BAR_MIB = 8.0, 12.0, 8.0
HALO = ("blocking", "irecv_send", "irecv_isend", "persistent", "neighbor", "rma_fence", "rma_pscw", "rma_lock")


def bytes_per_record(mpi, tool, options):
    """The bundled solvers, and percall's cases, whose calls are as short as calls can be."""
    ranks = 4 if mpi.can_crowd() else 2
    preload = f"{tool.library}:{mpi.crowding}" if mpi.crowding else tool.library
    words = tool.environment(library=preload)
    iterations = 50 if options.quick else 500
    halo = [mpi.examples / "halo2d", "--iters", iterations, "--variant"]
    runs = [(f"halo2d {variant}", ranks, SOLVER_BAR_BYTES, [*halo, variant]) for variant in HALO]
    runs.append(("solver3", ranks, SOLVER_BAR_BYTES, [mpi.examples / "solver3", iterations // 5]))
    runs.append(("bucketsort", ranks, SOLVER_BAR_BYTES, [mpi.examples / "bucketsort"]))
    runs += [(c, 2 if c == "allreduce" else 1, WORST_BAR_BYTES, [mpi.programs / "percall", c, 100_000]) for c in CASES]
    for name, n, bar, program in runs:
        stats.progress(f"{mpi.name}, bytes: {name}")
        use = RingUse()
        try:
            run(mpi.command(n, "env", *words, *program), timeout=120)
            for path in tool.spool.glob("*.rank"):
                use.add(path)
        except (RunFailed, ValueError) as failure:
            warn(f"bytes, {name}: {failure}")
            continue
        finally:
            tool.sweep()
        if use.records == 0:
            warn(f"bytes, {name}: no records in the rank files")
            continue
        yield stats.plain("bytes in the ring", mpi.name, name, "B/record", bar, use.bytes_per_record())


def memory(mpi, tool, options):
    """Resident size with the tool minus without, minus the chunks of the ring that were touched."""
    def one(words):
        def resident():
            use = RingUse()
            try:
                ranks = job(mpi, tool, 2, words, ["--calls", 2000])
                for path in tool.rank_files():
                    use.add(path)
            finally:
                tool.sweep()
            ring = use.chunk_bytes / 2 / (1 << 20)
            mib = [[kib / 1024 for kib in rank["memory"]] for rank in ranks]
            rss, pss, rank_file, library, parent_rss, parent_pss = (sum(column) / len(mib) for column in zip(*mib))
            return {"rss": rss - ring, "pss": pss - ring, "ring": ring, "rank_file": rank_file - ring,
                    "library": library, "with_parent": rss + parent_rss - ring, "with_parent_pss": pss + parent_pss - ring}
        return resident

    variants = {"none": one(["MPISCOPE_BENCH=none"]), "tool": one(tool.environment()), "exec": one(tool.exec_words())}
    if tool.nop:
        variants["nop"] = one(tool.environment(library=tool.nop))
    if not tool.program:
        del variants["exec"]
    samples = stats.alternate(options.rounds, variants, f"{mpi.name}, memory")
    for case, quantity, variant, bar in (
        ("RSS", "rss", "tool", MEMORY_BAR_MIB),
        ("PSS", "pss", "tool", MEMORY_BAR_MIB),
        ("of RSS: the library's pages", "library", "tool", None),
        ("of RSS: rank file, not ring", "rank_file", "tool", None),
        ("exec: PSS with its parent", "with_parent_pss", "exec", None),
    ):
        yield stats.compare("memory beyond ring", mpi.name, case, "MiB", bar, samples, quantity, variant)
