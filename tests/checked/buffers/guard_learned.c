/* An element that is neither first nor last is changed in each step; the second time it is seen by whom.
 *
 * ranks: 2
 * expect: buffer.send-written
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[100] = {rank};
    MPI_Request request;
    for (int step = 0; step < 2; step++) {
        if (rank == 0) {
            MPI_Issend(values, 100, MPI_INT, 1, 0, WORLD, &request);
            use(values);
#ifndef RIGHT
            values[20] += 1; /* WRONG */
#endif
            use(values);
            MPI_Barrier(WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            values[20] += 1;
            use(values);
        } else {
            MPI_Barrier(WORLD);
            MPI_Recv(values, 100, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        }
    }
}
