# Ranks open a file in different modes.
#
# ranks: 2
# expect: collective.argument
# lines: all
# bare: openmpi=ends mpich=aborts
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

mode = MPI.MODE_WRONLY if comm.rank or right else MPI.MODE_RDWR
file = MPI.File.Open(comm, "x.dat", MPI.MODE_CREATE | mode)  # WRONG
file.Close()
