# A request of Python that nobody waits for.
#
# ranks: 2
# expect: request.never-completed
# bare: openmpi=ends mpich=ends
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    request = comm.Isend(np.zeros(10), 1)  # WRONG
    if right:
        request.Wait()
else:
    comm.Recv(np.zeros(10), 0)
