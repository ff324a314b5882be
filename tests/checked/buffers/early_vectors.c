/* All of a large array that is being received is read in an optimised loop, by vectors.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * flags: -O3
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static int values[512];

static void program(void)
{
    int sum = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(values, 512, MPI_INT, 1, 0, WORLD, &request);
#ifdef RIGHT
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        for (int i = 0; i < 512; i++)
            sum += values[i]; /* WRONG */
#ifndef RIGHT
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        use(&sum);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, 512, MPI_INT, 0, 0, WORLD);
    }
}
