/* late N US: each of N times the lower rank of a pair sends US µs too late, then the upper one three times as late. A pair
   is a rank and its opposite, which is on another host. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, token = 0, n = atoi(argv[1]), us = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = size - 1 - rank;
    for (int i = 0; i < n; i++) {
        if (rank < other) {
            usleep(us);
            MPI_Send(&i, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            usleep(3 * us);
            MPI_Send(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    if (rank == 0)
        puts("late OK");
    return 0;
}
