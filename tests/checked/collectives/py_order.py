# An allreduce meets a barrier.
#
# ranks: 2
# expect: collective.call
# lines: all
# bare: openmpi=hangs mpich=hangs
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

one, total = np.ones(1), np.zeros(1)
if comm.rank == 0 or right:
    comm.Allreduce(one, total)  # WRONG
    comm.Barrier()
else:
    comm.Barrier()  # WRONG
    comm.Allreduce(one, total)
