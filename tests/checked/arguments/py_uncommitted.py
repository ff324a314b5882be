# A derived datatype is used before it was committed.
#
# ranks: 2
# expect: argument.datatype-uncommitted
# allow: leak.datatype deadlock.ended collective.missing
# bare: openmpi=hangs mpich=hangs
import sys

import numpy as np
from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

column = MPI.DOUBLE.Create_vector(4, 1, 4)
if right or comm.rank == 1:
    column.Commit()
table = np.zeros((4, 4))
if comm.rank == 0:
    comm.Send([table, 1, column], 1)  # WRONG
else:
    comm.Recv([table, 1, column], 0)
column.Free()
