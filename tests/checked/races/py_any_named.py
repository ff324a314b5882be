# Receives of any source and of rank 1 are posted together: the first one may take what the second waits for.
#
# ranks: 3
# expect: race.deadlock
# allow: race.receive
# bare: openmpi=ends mpich=ends
import array
import sys
import time

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    values = [array.array("i", [0]) for _ in range(2)]
    first = comm.Irecv(values[0], 2 if right else MPI.ANY_SOURCE)  # WRONG
    second = comm.Irecv(values[1], 1)
    MPI.Request.Waitall([first, second])  # WRONG
else:
    if comm.rank == 1:
        time.sleep(0.2)
    comm.Send(array.array("i", [comm.rank]), 0)
