# Doubles are received as integers.
#
# ranks: 2
# expect: message.datatype
# lines: all
# bare: openmpi=ends mpich=ends
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    comm.Send(np.zeros(10), 1)  # WRONG
else:
    comm.Recv(np.zeros(10) if right else np.zeros(20, dtype="i4"), 0)  # WRONG
