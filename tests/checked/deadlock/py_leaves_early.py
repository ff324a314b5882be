# A rank raises SystemExit while the others are in a barrier.
#
# ranks: 2
# expect: collective.missing
# bare: openmpi=hangs mpich=hangs
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 1 and not right:
    sys.exit(0)
comm.Barrier()  # WRONG
