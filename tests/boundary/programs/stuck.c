/* Ranks that wait for each other, one way for each KIND; none of them ends by itself. After a while of ordinary
 * exchanges, so that there is a run to look at. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 20 };
static int rank, size, out[LARGE], in[LARGE];

static void exchange(void) {
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int turn = 0; turn < 20; turn++) {
        MPI_Sendrecv(out, 8, MPI_INT, next, 1, in, 8, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(1000);
    }
}

static void receive(int from, int tag) {
    MPI_Recv(in, 8, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int is(const char *kind, const char *name) { return strcmp(kind, name) == 0; }

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "ring";
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    exchange();
    if (is(kind, "ring")) { /* all receive first */
        receive(next, 7);
        MPI_Send(out, 8, MPI_INT, before, 7, MPI_COMM_WORLD);
    } else if (is(kind, "barrier")) { /* rank 1 expects a message before it comes */
        if (rank == 1)
            receive(0, 5);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (is(kind, "waitall")) { /* one of two messages comes */
        MPI_Irecv(in, 8, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in + 8, 8, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(out, 8, MPI_INT, before, 1, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, statuses);
    } else if (is(kind, "send")) { /* all send first, too much to be kept */
        MPI_Send(out, LARGE, MPI_INT, next, 3, MPI_COMM_WORLD);
        MPI_Recv(in, LARGE, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(kind, "missing")) { /* rank 1 goes to the end without sending */
        if (rank == 0)
            receive(1, 9);
    } else if (is(kind, "computing")) { /* rank 1 is somewhere else */
        if (rank == 1)
            sleep(100000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
