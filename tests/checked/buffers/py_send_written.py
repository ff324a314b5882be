# An array is changed while it is being sent.
#
# ranks: 2
# expect: buffer.send-written
# bare: openmpi=ends mpich=ends
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

values = np.arange(1000.0)
if comm.rank == 0:
    request = comm.Isend(values, 1)  # WRONG
    if not right:
        values += 1
    request.Wait()  # WRONG
else:
    comm.Recv(values, 0)
