/* A receiver that takes messages in another order than they are sent in, and computes before the last receive: `receives [TIMES]`. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGES = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, times = argc > 1 ? atoi(argv[1]) : 10, in[MESSAGES] = {0}, out[MESSAGES] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < times; i++) {
        if (rank == 0) {
            for (int tag = 0; tag < MESSAGES; tag++)
                MPI_Send(out + tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Request requests[2];
            for (int tag = 0; tag < 2; tag++)
                MPI_Irecv(in + tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, requests + tag);
            MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
            MPI_Wait(requests + 0, MPI_STATUS_IGNORE);
            MPI_Recv(in + 3, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            usleep(1000);
            MPI_Recv(in + 2, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
