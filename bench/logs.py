#!/usr/bin/env python3
"""How fast `mpiscope explain` reads logs from a pipe, and its memory: `bench/logs.py MPISCOPE [MIB…]`.

Logs of a healthy program, of failures and of binary data are made while they are read; no file is written. `count` is the control:
`wc -l` reads the same bytes. CPU is processor time of the reader: on a busy machine it is less than the time that passes."""

import os
import random
import resource
import subprocess
import sys
import time

PIECE_BYTES = 1 << 20
STEP = "Step %d Temp 1.4402 E_pair -6.7733 E_mol 0 TotEng -4.6218 Press -5.0244 Volume 147022\n"


def stack_of_open_mpi(rank):
    start = f"[1,{rank}]<stderr>:[node{rank // 64}:{9000 + rank}] *** "
    lines = (
        "An error occurred in MPI_Recv",
        f"reported by process [12,{rank}]",
        "on communicator MPI_COMM_WORLD",
        "MPI_ERR_TRUNCATE: message truncated",
    )
    return "".join(start + line + "\n" for line in lines)


def stack_of_mpich(rank):
    return (
        f"Abort(738336782) on node {rank} (rank {rank} in comm 0): Fatal error in internal_Send: Invalid rank, error stack:\n"
        f"internal_Send(120): MPI_Send(buf=0x7ffd{rank:08x}, count=1, MPI_INT, {rank}, 0, MPI_COMM_WORLD) failed\n"
        f"internal_Send(78).: Invalid rank has value {4096 + rank} but must be nonnegative and less than 4096\n"
    )


def unknown(rank):
    return f"{rank}: FATAL: cannot open restart file step{rank * 7}.h5 on node{rank}\n"


def pieces():
    """Of each kind: megabytes that are repeated."""
    failures = "".join(stack_of_open_mpi(rank) + stack_of_mpich(rank) + unknown(rank) for rank in range(4096))
    texts = {"healthy": "".join(STEP % step for step in range(20_000)), "failures": failures}
    kinds = {name: text.encode() for name, text in texts.items()}
    kinds["binary"] = random.Random(1).randbytes(PIECE_BYTES)
    return kinds


def read_by(command, piece, mib):
    """Seconds, seconds of processor time, and peak memory in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    left = mib << 20
    while left > 0:
        reader.stdin.write(piece[:left])
        left -= len(piece)
    reader.stdin.close()
    _, _, used = os.wait4(reader.pid, 0)
    reader.returncode = 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - begin, cpu, used.ru_maxrss / 1024


def main(mpiscope, sizes):
    print("kind       MiB   MiB/s  MiB per CPU second  memory, MiB  count, MiB/s")
    for name, piece in pieces().items():
        for mib in sizes:
            control, _, _ = read_by(["wc", "-l"], piece, mib)
            seconds, cpu, memory = read_by([mpiscope, "explain"], piece, mib)
            print(f"{name:<9} {mib:>4} {mib / seconds:>7.0f} {mib / cpu:>19.0f} {memory:>12.1f} {mib / control:>13.0f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], [int(word) for word in sys.argv[2:]] or [128, 1024])
