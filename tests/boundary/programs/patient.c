/* patient: takes its time, in a region.
 *
 *   patient STEPS [FILE]     a barrier every 10 ms; when FILE exists, stops early
 */
#include <mpi.h>
#include <mpiscope.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mpiscope_begin("working");
    for (int step = 0; step < atoi(argv[1]) && !stop; step++) {
        usleep(10000);
        if (rank == 0 && argc > 2) stop = access(argv[2], F_OK) == 0;
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    mpiscope_end("working");
    if (rank == 0) puts("patient OK");
    MPI_Finalize();
    return 0;
}
