/* Exchanges of several messages with every other rank: `exchange [TIMES]`. Sends begin with the rank before, and each request is awaited by itself. */
#include <mpi.h>
#include <stdlib.h>

#define MESSAGES 3

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, times = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int all = (size - 1) * MESSAGES;
    double *out = calloc((size_t)all, 100 * sizeof *out), *in = calloc((size_t)all, 100 * sizeof *in);
    MPI_Request *requests = malloc(2 * (size_t)all * sizeof *requests);
    for (int i = 0; i < times; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        int n = 0;
        for (int other = 1; other < size; other++)
            for (int k = 0; k < MESSAGES; k++, n++)
                MPI_Irecv(in + 100 * n, 10 + 20 * k, MPI_DOUBLE, (rank + other) % size, k, MPI_COMM_WORLD, requests + n);
        for (int other = 1; other < size; other++)
            for (int k = 0; k < MESSAGES; k++, n++)
                MPI_Isend(out + 100 * (n - all), 10 + 20 * k, MPI_DOUBLE, (rank + size - other) % size, k, MPI_COMM_WORLD, requests + n);
        for (int request = 0; request < n; request++)
            MPI_Wait(requests + request, MPI_STATUS_IGNORE);
    }
    free(out);
    free(in);
    free(requests);
    MPI_Finalize();
    return 0;
}
