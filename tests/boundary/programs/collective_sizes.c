/* Collective operations of many sizes, each announced to whoever wants to see what the MPI does in it (observed_algorithms.c). */
#include <mpi.h>
#include <stdlib.h>

#define MOST (1 << 20)

void announce(const char *function, int bytes) __attribute__((weak));

static void begin(const char *function, int bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (announce)
        announce(function, bytes);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 16, 64, 256, 512, 1024, 2048, 2056, 4096, 8192, 27304, 27312, 32768, 65536, 131064, 131072, 262144, MOST};
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *out = calloc(ranks, MOST), *in = calloc(ranks, MOST);
    int *counts = malloc(ranks * sizeof *counts);
    for (unsigned at = 0; at < sizeof sizes / sizeof *sizes; at++) {
        int bytes = sizes[at], n = bytes / 8;
        for (int i = 0; i < ranks; i++)
            counts[i] = n;
        begin("MPI_Allreduce", bytes);
        MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        begin("MPI_Reduce", bytes);
        MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        begin("MPI_Bcast", bytes);
        MPI_Bcast(out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        begin("MPI_Allgather", bytes);
        MPI_Allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD);
        begin("MPI_Alltoall", bytes);
        MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD);
        begin("MPI_Gather", bytes);
        MPI_Gather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        begin("MPI_Scatter", bytes);
        MPI_Scatter(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        begin("MPI_Reduce_scatter_block", bytes);
        MPI_Reduce_scatter_block(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        begin("MPI_Reduce_scatter", bytes * ranks);
        MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        begin("MPI_Scan", bytes);
        MPI_Scan(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    begin("MPI_Barrier", 0);
    MPI_Barrier(MPI_COMM_WORLD);
    begin("end", 0);
    MPI_Finalize();
    return 0;
}
