"""pyring: messages round a ring with mpi4py.

    python3 pyring.py [laps]          default 10

Pickled objects (send/recv, bcast, allreduce, gather in lower case) and buffers (Send/Recv,
Isend/Irecv/Waitall, Bcast, Allreduce, Gather in upper case; array.array, so numpy is not
needed). Shows: Python programs, whose calls come out of the mpi4py extension module.
"""

import sys
from array import array

from mpi4py import MPI


def pickled_ring(comm, laps):
    """A list that every rank appends to, once a lap."""
    rank, size = comm.Get_rank(), comm.Get_size()
    right, left = (rank + 1) % size, (rank - 1) % size
    token = []
    for lap in range(laps):
        if rank == 0:
            comm.send(token + [(lap, 0)], dest=right, tag=lap)
            token = comm.recv(source=left, tag=lap)
        else:
            token = comm.recv(source=left, tag=lap)
            comm.send(token + [(lap, rank)], dest=right, tag=lap)
    if rank == 0:
        assert token == [(lap, r) for lap in range(laps) for r in range(size)]


def buffer_ring(comm, laps):
    """Doubles that go round blocking, and both ways nonblocking."""
    rank, size = comm.Get_rank(), comm.Get_size()
    right, left = (rank + 1) % size, (rank - 1) % size
    out = array("d", [float(rank)] * 1000)
    into = array("d", bytes(8 * 1000))
    for _ in range(laps):
        status = MPI.Status()
        if rank % 2 == 0:
            comm.Send([out, MPI.DOUBLE], dest=right, tag=1)
            comm.Recv([into, MPI.DOUBLE], source=left, tag=1, status=status)
        else:
            comm.Recv([into, MPI.DOUBLE], source=left, tag=1, status=status)
            comm.Send([out, MPI.DOUBLE], dest=right, tag=1)
        assert status.Get_source() == left and status.Get_count(MPI.DOUBLE) == 1000
        assert into[0] == into[999] == left
        from_right = array("d", bytes(8 * 1000))
        requests = [
            comm.Irecv([into, MPI.DOUBLE], source=left, tag=2),
            comm.Irecv([from_right, MPI.DOUBLE], source=right, tag=3),
            comm.Isend([out, MPI.DOUBLE], dest=right, tag=2),
            comm.Isend([out, MPI.DOUBLE], dest=left, tag=3),
        ]
        MPI.Request.Waitall(requests)
        assert into[5] == left and from_right[5] == right


def collectives(comm, laps):
    """The same question asked with objects and with buffers."""
    rank, size = comm.Get_rank(), comm.Get_size()
    for lap in range(laps):
        settings = comm.bcast({"lap": lap, "name": "ring"} if rank == 0 else None, root=0)
        assert settings == {"lap": lap, "name": "ring"}
        assert comm.allreduce(rank + 1) == size * (size + 1) // 2
        everyone = comm.gather(rank * rank, root=0)
        assert everyone == ([r * r for r in range(size)] if rank == 0 else None)

        word = array("i", [lap if rank == 0 else -1])
        comm.Bcast([word, MPI.INT], root=0)
        assert word[0] == lap
        total = array("i", [0])
        comm.Allreduce([array("i", [rank + 1]), MPI.INT], [total, MPI.INT], op=MPI.SUM)
        assert total[0] == size * (size + 1) // 2
        ranks = array("i", [0] * size)
        comm.Gather([array("i", [rank]), MPI.INT], [ranks, MPI.INT], root=0)
        assert rank != 0 or list(ranks) == list(range(size))


def main():
    laps = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    comm = MPI.COMM_WORLD
    if comm.Get_size() > 1:  # a blocking ring of one rank would wait for itself
        pickled_ring(comm, laps)
        buffer_ring(comm, laps)
    collectives(comm, laps)
    comm.Barrier()
    if comm.Get_rank() == 0:
        print("pyring OK", flush=True)


if __name__ == "__main__":
    try:
        main()
    except BaseException as error:  # an assertion on one rank must end the job, not hang it
        print(f"pyring: rank {MPI.COMM_WORLD.Get_rank()}: {error!r}", file=sys.stderr, flush=True)
        MPI.COMM_WORLD.Abort(1)
