# An array that nobody receives.
#
# ranks: 2
# expect: message.lost
# allow: deadlock.buffering
# bare: openmpi=ends mpich=ends
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    comm.Send(np.zeros(1), 1, tag=3)  # WRONG
elif right:
    comm.Recv(np.zeros(1), 0, tag=3)
comm.Barrier()
