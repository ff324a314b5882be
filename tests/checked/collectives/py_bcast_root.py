# Each rank of a Python program takes itself for the root.
#
# ranks: 2
# expect: collective.root
# lines: all
# bare: openmpi=ends mpich=ends
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD


def share(value):
    return comm.bcast(value, root=0 if right else comm.rank)  # WRONG


share({"rank": comm.rank})
