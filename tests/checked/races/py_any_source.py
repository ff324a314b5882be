# An object is received from whoever comes first, and the next one from rank 1.
#
# ranks: 3
# expect: race.receive | race.probe
# bare: openmpi=ends mpich=ends
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    if right:
        assert comm.recv(source=1) + comm.recv(source=2) == 3
    else:
        first = comm.recv(source=MPI.ANY_SOURCE)  # WRONG
        comm.recv(source=3 - first)
else:
    comm.send(comm.rank, 0)
