# Two ranks put to the same element under shared locks.
#
# ranks: 3
# expect: rma.conflict
# bare: openmpi=ends mpich=ends
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

window = MPI.Win.Allocate(64, 8, comm=comm)
comm.Barrier()
if comm.rank > 0:
    window.Lock(0, MPI.LOCK_SHARED)
    window.Put(np.full(1, float(comm.rank)), 0, comm.rank if right else 1)  # WRONG
    window.Unlock(0)
comm.Barrier()
window.Free()
