/* What the ranks have resident of shared memory, as soon as MPI is initialized and after messages to all ranks: the sum over ranks, KiB. With two
 * arguments, rank 1 then sends so many messages of so many bytes to rank 0, which receives them later. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long sum_of_shared_kib(void)
{
    char line[256];
    long own = 0, sum = 0;
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    while (fgets(line, sizeof line, rollup))
        if (!strncmp(line, "Pss_Shmem:", 10))
            own = atol(line + 10);
    fclose(rollup);
    /* A message of a rank that has counted would change what others count. */
    usleep(200000);
    /* What several ranks map is divided among them. */
    MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    enum { MOST = 65536 };
    static char buffer[MOST];
    int rank, ranks, count = argc > 2 ? atoi(argv[1]) : 0, bytes = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    long before = sum_of_shared_kib();
    for (int round = 0; round < 40; round++)
        for (int step = 1; step < ranks; step++)
            MPI_Sendrecv(buffer, 8, MPI_CHAR, (rank + step) % ranks, 0, buffer + 8, 8, MPI_CHAR, (rank + ranks - step) % ranks, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    long after = sum_of_shared_kib();
    if (rank == 0)
        printf("%ld %ld\n", before, after);
    for (int at = 0; rank == 1 && at < count; at++)
        MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    if (rank == 1 && count)
        MPI_Send(buffer, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    if (rank == 0 && count)
        MPI_Recv(buffer, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int at = 0; rank == 0 && at < count; at++)
        MPI_Recv(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
