# An array is received into a shorter one.
#
# ranks: 2
# expect: message.truncated
# bare: openmpi=aborts mpich=aborts
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    comm.Send(np.zeros(20), 1)
else:
    comm.Recv(np.zeros(20 if right else 10), 0)  # WRONG
