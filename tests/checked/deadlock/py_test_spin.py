# Both ranks poll for a receive before they send.
#
# ranks: 2
# expect: deadlock.polling
# lines: all
# bare: openmpi=hangs mpich=hangs
import array
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD
mine, theirs = array.array("i", [comm.rank]), array.array("i", [0])

request = comm.Irecv(theirs, 1 - comm.rank)
if right:
    comm.Send(mine, 1 - comm.rank)
while not request.Test():  # WRONG
    pass
if not right:
    comm.Send(mine, 1 - comm.rank)
