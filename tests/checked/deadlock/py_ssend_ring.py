# Objects go round a ring by synchronous sends in a function.
#
# ranks: 3
# expect: deadlock.cycle
# lines: all
# bare: openmpi=hangs mpich=hangs
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD


def pass_on(value):
    to, source = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    if right:
        return comm.sendrecv(value, to, source=source)
    comm.ssend(value, to)  # WRONG
    return comm.recv(source=source)


assert pass_on({"from": comm.rank})["from"] == (comm.rank - 1) % comm.size
