# Each rank reads what its neighbour has written with an ordered write, which is not visible yet.
#
# ranks: 2
# expect: io.overlap-read
# bare: openmpi=ends mpich=ends
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD
mode = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE
file = MPI.File.Open(comm, "x.dat", mode)
file.Write_ordered(bytearray([comm.rank] * 100))  # WRONG
if right:
    file.Sync()
comm.Barrier()
if right:
    file.Sync()
neighbour = bytearray(100)
file.Read_at(100 * (1 - comm.rank), neighbour)  # WRONG
file.Close()
