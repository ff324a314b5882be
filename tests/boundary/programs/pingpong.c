/* pingpong N: N messages there and back between each rank and its opposite, which is on another host. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 10, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = size - 1 - rank;
    for (int i = 0; i < n; i++) {
        if (rank < other) {
            usleep(1000);
            MPI_Send(&i, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    if (rank == 0)
        puts("pingpong OK");
    return 0;
}
