# Two ranks put into the same elements between two fences.
#
# ranks: 3
# expect: rma.conflict
# bare: openmpi=ends mpich=ends
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

window = MPI.Win.Allocate(80, 8, comm=comm)
window.Fence()
if comm.rank > 0:
    window.Put(np.full(2, float(comm.rank)), 0, 2 * comm.rank if right else 0)  # WRONG
window.Fence()
window.Free()
