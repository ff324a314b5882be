# Both ranks of a Python program send a large array before they receive.
#
# ranks: 2
# expect: deadlock.cycle
# lines: all
# bare: openmpi=hangs mpich=hangs
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

other = 1 - comm.rank
mine, theirs = np.zeros(200000), np.empty(200000)
if right:
    comm.Sendrecv(mine, other, recvbuf=theirs, source=other)
else:
    comm.Send(mine, other)  # WRONG
    comm.Recv(theirs, other)
