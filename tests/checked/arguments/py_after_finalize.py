# A communicator is used after MPI.Finalize.
#
# ranks: 2
# expect: life.outside
# bare: openmpi=aborts mpich=aborts
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

comm.Barrier()
if right:
    comm.Barrier()
    MPI.Finalize()
else:
    MPI.Finalize()
    comm.Barrier()  # WRONG
