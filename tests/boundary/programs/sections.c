/* sections: statistics between moments, by mpiscope.h. */
#include <mpi.h>
#include <mpiscope.h>
#include <stdio.h>

static int rank, sum;
static void reduce(int times)
{
    for (int i = 0; i < times; i++) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    char data[100] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mpiscope_clear(NULL);
    for (int step = 1; step <= 3; step++) {
        mpiscope_begin("solve");
        reduce(10 * step);
        mpiscope_begin("inner");
        MPI_Bcast(data, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
        mpiscope_end("inner");
        mpiscope_end("solve");
        reduce(1);
        mpiscope_snapshot("solve"); /* 10 and 1, 20 and 1, 30 and 1 */
        if (step == 1) mpiscope_clear("solve");
        if (step == 2) mpiscope_clear("solve");
    }
    mpiscope_snapshot(NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    mpiscope_clear(NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    mpiscope_snapshot(NULL);
    mpiscope_snapshot("solve"); /* nothing since everything was cleared */
    if (rank == 0) printf("sections OK\n");
    MPI_Finalize();
    return 0;
}
