# A short message and a long one to receives of any source, with room for the short one first.
#
# ranks: 3
# expect: race.truncated
# allow: race.receive
# bare: openmpi=ends mpich=ends
import array
import sys
import time

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    for n in (1, 8):
        comm.Recv(array.array("i", [0] * (8 if right else n)), 1 + n // 8 if right else MPI.ANY_SOURCE)  # WRONG
else:
    if comm.rank == 2:
        time.sleep(0.2)
    comm.Send(array.array("i", [0] * (1 if comm.rank == 1 else 8)), 0)  # WRONG
