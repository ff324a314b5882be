# Communicators and datatypes of Python objects that are never freed.
#
# ranks: 2
# expect: leak.communicator
# expect: leak.datatype
# bare: openmpi=ends mpich=ends
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD


def column():
    return MPI.DOUBLE.Create_vector(4, 1, 4).Commit()  # WRONG


made = [comm.Dup()]  # WRONG
made.append(column())
comm.Barrier()
if right:
    for one in made:
        one.Free()
