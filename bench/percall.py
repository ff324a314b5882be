"""What a call of MPI from Python takes: `python percall.py CASE CALLS`.

Prints the case, and the median over batches of the nanoseconds of thread CPU time a call, loop included."""

import sys
import time

from mpi4py import MPI

BATCHES = 100


def rank(calls, comm=MPI.COMM_SELF):
    """Keeps the GIL."""
    for _ in range(calls):
        comm.Get_rank()


def iprobe(calls, comm=MPI.COMM_SELF):
    """Releases the GIL."""
    for _ in range(calls):
        comm.Iprobe()


case, calls = sys.argv[1], int(sys.argv[2])
run = {"rank": rank, "iprobe": iprobe}[case]
each = max(calls // BATCHES, 1)
run(2 * each)
found = []
for _ in range(BATCHES):
    begun = time.thread_time_ns()
    run(each)
    found.append((time.thread_time_ns() - begun) / each)
print(case, sorted(found)[len(found) // 2])
