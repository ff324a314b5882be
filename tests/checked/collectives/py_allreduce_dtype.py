# Arrays of other element types are reduced.
#
# ranks: 2
# expect: collective.datatype
# lines: all
# bare: openmpi=ends mpich=ends
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

mine = np.zeros(4, dtype="f8" if comm.rank or right else "i8")
total = np.zeros_like(mine)
comm.Allreduce(mine, total)  # WRONG
