# A file that is never closed.
#
# ranks: 2
# expect: leak.file
# bare: openmpi=ends mpich=ends
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

file = MPI.File.Open(comm, "x.dat", MPI.MODE_CREATE | MPI.MODE_WRONLY)  # WRONG
comm.Barrier()
if right:
    file.Close()
