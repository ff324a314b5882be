/* Messages whose own calls do not say the peer, on any number of ranks from 2 on.
 *
 * Each rank sends to the next one (and receives from the one before), with persistent requests and into receives
 * from any source. `moved` rank 0 prints what each rank has sent to its neighbour that way: messages and bytes. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, next, before, out[64], in[64];
static long messages, bytes;

static void moved(int ints) { messages++, bytes += 4L * ints; }

static void send(int ints, int tag, MPI_Comm comm, int to)
{
    MPI_Send(out, ints, MPI_INT, to, tag, comm);
    moved(ints);
}

/* Persistent requests: one by one, and as a list whose calls become known. */
static void persistent(void)
{
    MPI_Request both[2];
    MPI_Send_init(out, 10, MPI_INT, next, 1, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(in, 10, MPI_INT, before, 1, MPI_COMM_WORLD, &both[1]);
    for (int i = 0; i < 20; i++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        moved(10);
    }
    for (int i = 0; i < 15; i++) {
        MPI_Start(&both[1]);
        MPI_Start(&both[0]);
        MPI_Wait(&both[0], MPI_STATUS_IGNORE);
        MPI_Wait(&both[1], MPI_STATUS_IGNORE);
        moved(10);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    /* The same handles may come back for something else. */
    MPI_Recv_init(in, 3, MPI_INT, before, 2, MPI_COMM_WORLD, &both[0]);
    MPI_Send_init(out, 3, MPI_INT, next, 2, MPI_COMM_WORLD, &both[1]);
    for (int i = 0; i < 20; i++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        moved(3);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    MPI_Request nobody;
    MPI_Send_init(out, 3, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &nobody);
    MPI_Start(&nobody);
    MPI_Wait(&nobody, MPI_STATUS_IGNORE);
    MPI_Request_free(&nobody);
}

/* Receives from any source; statuses say whom they were from. */
static void any(void)
{
    MPI_Request r[3];
    MPI_Status s[3];
    int done, index, indices[3];
    for (int i = 0; i < 30; i++) {
        for (int k = 0; k < 3; k++)
            MPI_Irecv(in + 8 * k, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[k]);
        send(1, 3, MPI_COMM_WORLD, next);
        send(0, 4, MPI_COMM_WORLD, next);
        send(5, 5, MPI_COMM_WORLD, next);
        switch (i % 5) {
        case 0:
            MPI_Waitall(3, r, s);
            break;
        case 1:
            for (int left = 3; left > 0; left -= done)
                MPI_Waitsome(3, r, &done, indices, s);
            break;
        case 2:
            for (int left = 3; left > 0; left--)
                MPI_Waitany(3, r, &index, s);
            break;
        case 3:
            do
                MPI_Testall(3, r, &done, s);
            while (!done);
            break;
        default:
            for (int k = 0; k < 3; k++) {
                /* Polled until it is complete. */
                do
                    MPI_Request_get_status(r[k], &done, s);
                while (!done);
                if (k == 1)
                    MPI_Wait(&r[k], s);
                else
                    MPI_Wait(&r[k], MPI_STATUS_IGNORE);
            }
        }
    }
}

static void persistent_any(void)
{
    MPI_Request r;
    MPI_Status s;
    MPI_Recv_init(in, 8, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &r);
    for (int i = 0; i < 10; i++) {
        MPI_Start(&r);
        send(2, 6, MPI_COMM_WORLD, next);
        MPI_Wait(&r, &s);
    }
    MPI_Request_free(&r);
}

/* In a communicator whose ranks are others. */
static void turned(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comm);
    for (int i = 0; i < 10; i++) {
        MPI_Request r;
        MPI_Status s;
        MPI_Irecv(in, 8, MPI_INT, MPI_ANY_SOURCE, 7, comm, &r);
        send(4, 7, comm, size - 1 - next);
        MPI_Wait(&r, &s);
    }
    MPI_Comm_free(&comm);
}

/* A receive that is cancelled is from nobody. */
static void cancelled(void)
{
    MPI_Request r;
    MPI_Status s;
    MPI_Irecv(in, 8, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &s);
}

/* Matched probes: the receive names neither communicator nor source. */
static void matched(void)
{
    MPI_Message message;
    MPI_Request r;
    MPI_Status s;
    int found;
    for (int i = 0; i < 10; i++) {
        MPI_Request sent;
        MPI_Isend(out, 6, MPI_INT, next, 8, MPI_COMM_WORLD, &sent);
        moved(6);
        MPI_Mprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &message, &s);
        MPI_Mrecv(in, 6, MPI_INT, &message, &s);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        MPI_Isend(out, 7, MPI_INT, next, 8, MPI_COMM_WORLD, &sent);
        moved(7);
        do
            MPI_Improbe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
        while (!found);
        MPI_Imrecv(in, 7, MPI_INT, &message, &r);
        MPI_Wait(&r, &s);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size, before = (rank + size - 1) % size;
    persistent();
    any();
    persistent_any();
    turned();
    cancelled();
    if (argc < 2 || strcmp(argv[1], "unmatched") != 0)
        matched();
    if (rank == 0)
        printf("%ld %ld\n", messages, bytes);
    MPI_Finalize();
    return 0;
}
