# An exception ends one rank; the others wait in an allreduce of objects.
#
# ranks: 3
# expect: collective.missing
# allow: life.no-finalize
# bare: openmpi=hangs mpich=hangs
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD


def share(value):
    return comm.allreduce(value)  # WRONG


try:
    if comm.rank == 1:
        raise ValueError("nothing to share")
except ValueError:
    if not right:
        raise
assert share(1) == 3
