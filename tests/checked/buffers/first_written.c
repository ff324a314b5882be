/* A variable is set anew for the next step before the wait for its send: the line is named.
 *
 * ranks: 2
 * expect: buffer.send-written
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    for (int step = 0; step < 20; step++) {
        double residual = step;
        if (rank == 0) {
            MPI_Request request;
            MPI_Issend(&residual, 1, MPI_DOUBLE, 1, 0, WORLD, &request);
            use(&residual);
#ifdef RIGHT
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            residual = -1;
#else
            residual = -1; /* WRONG */
            use(&residual);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
            use(&residual);
        } else {
            MPI_Recv(&residual, 1, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE);
        }
    }
}
