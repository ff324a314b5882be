# A rank polls for a message that never comes; or until a handler of a signal ends the loop, and cancels the receive.
#
# ranks: 2
# expect: deadlock.polling
# bare: openmpi=hangs mpich=hangs
import array
import signal
import sys
import time

from mpi4py import MPI

right = sys.argv[1] == "right"
comm = MPI.COMM_WORLD


def give_up(*_):
    raise TimeoutError


if comm.rank == 0:
    if right:
        signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, 2)
    request = comm.Irecv(array.array("i", [0]), 1, 3)
    try:
        while not request.Test():  # WRONG
            time.sleep(0.001)
    except TimeoutError:
        request.Cancel()
        request.Wait()
comm.Barrier()
