# Rank 0 probes for a tag that nobody sends; or for the one that is sent.
#
# ranks: 2
# expect: deadlock.polling
# allow: message.lost deadlock.buffering
# bare: openmpi=hangs mpich=hangs
import array
import sys

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD

if comm.rank == 0:
    there = False
    while not there:
        there = comm.Iprobe(source=1, tag=4 if right else 5)  # WRONG
    comm.Recv(array.array("i", [0]), 1, 4)
else:
    comm.Send(array.array("i", [1]), 0, 4)
comm.Barrier()
