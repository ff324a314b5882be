# An array is put outside of any epoch.
#
# ranks: 2
# expect: rma.no-epoch
# allow: leak.window collective.missing
# bare: openmpi=hangs mpich=hangs
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

window = MPI.Win.Allocate(80, 8, comm=comm)
if right:
    window.Fence()
if comm.rank == 0:
    window.Put(np.zeros(2), 1)  # WRONG
if right:
    window.Fence()
window.Free()
