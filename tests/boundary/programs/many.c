/* many N: N messages from each rank to itself; more events than a small buffer holds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, got = -1;
    long n = argc > 1 ? atol(argv[1]) : 1000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < n; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, rank, i % 100, &got, 1, MPI_INT, rank, i % 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (got != i)
            MPI_Abort(MPI_COMM_WORLD, 9);
    }
    MPI_Finalize();
    if (rank == 0)
        printf("many OK\n");
    return 0;
}
