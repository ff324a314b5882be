/* A small receive buffer in static memory is initialised before the wait.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static long values[4];

static void program(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(values, 4, MPI_LONG, 1, 0, WORLD, &request);
#ifndef RIGHT
        values[1] = 1; /* WRONG */
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        use(values);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, 4, MPI_LONG, 0, 0, WORLD);
    }
}
