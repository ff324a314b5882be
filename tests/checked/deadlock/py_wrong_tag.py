# An object is sent with one tag and received with another.
#
# ranks: 2
# expect: deadlock.ended | deadlock.cycle
# allow: message.lost
# bare: openmpi=hangs mpich=hangs
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    comm.send("x", 1, tag=7)
else:
    comm.recv(source=0, tag=7 if right else 8)  # WRONG
