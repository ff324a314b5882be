# A destination that is one past the last rank.
#
# ranks: 2
# expect: argument.rank
# allow: deadlock.ended
# bare: openmpi=aborts mpich=aborts
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    comm.Send(np.zeros(1), 1 if right else comm.size)  # WRONG
elif right:
    comm.Recv(np.zeros(1), 0)
