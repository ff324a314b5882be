# The root of a gather expects fewer elements than are sent.
#
# ranks: 2
# expect: collective.count
# bare: openmpi=aborts mpich=aborts
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

mine = np.zeros(5)
room = np.zeros(10)
comm.Gather([mine, 5, MPI.DOUBLE], [room, 5 if right else 3, MPI.DOUBLE])  # WRONG
