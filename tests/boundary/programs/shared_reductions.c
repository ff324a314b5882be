/* Six reductions; after each, whether MPICH has mapped more shared memory than before the first (rank 0): that of its operations. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Before version 5, MPICH's queues for messages have the same name. */
static int mapped(void)
{
    char line[1024];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        found += strstr(line, "mpich_shar_tmp") != NULL;
    fclose(maps);
    return found;
}

int main(int argc, char **argv)
{
    double one = 1, sum;
    int rank, before;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    before = mapped();
    for (int i = 0; i < 6; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%d\n", mapped() > before);
    }
    MPI_Finalize();
    return 0;
}
