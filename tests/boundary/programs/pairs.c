/* Pairs of ranks exchange messages at the same time: `pairs DISTANCE BYTES STEPS`. The partner of a rank is `rank XOR DISTANCE`. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, distance = atoi(argv[1]), bytes = atoi(argv[2]), steps = atoi(argv[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *out = calloc(1, bytes), *in = malloc(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        usleep(2000);
        MPI_Sendrecv(out, bytes, MPI_CHAR, rank ^ distance, 0, in, bytes, MPI_CHAR, rank ^ distance, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    double seconds = MPI_Wtime() - begin;
    if (rank == 0)
        printf("%.6f\n", seconds);
    MPI_Finalize();
    return 0;
}
