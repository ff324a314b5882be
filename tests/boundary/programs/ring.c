/* ring N: N times round the ring, and what the library says of itself; for an MPI of any ABI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, token = 0, n = argc > 1 ? atoi(argv[1]) : 10, sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, wrong = 0;
    for (int i = 0; i < n; i++) {
        MPI_Sendrecv(&rank, 1, MPI_INT, right, i, &token, 1, MPI_INT, left, i, MPI_COMM_WORLD, &status);
        wrong += token != left || status.MPI_SOURCE != left || status.MPI_TAG != i;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != size * (size - 1) / 2;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("ring %s\n", wrong ? "FAILED" : "OK");
    return wrong != 0;
}
