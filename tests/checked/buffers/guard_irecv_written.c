/* A large receive buffer is cleared in a loop before the wait.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 300000 };

static void program(void)
{
    double *values = calloc(COUNT, sizeof *values);
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(values, COUNT, MPI_DOUBLE, 1, 0, WORLD, &request);
#ifndef RIGHT
        for (int i = 0; i < COUNT; i++)
            values[i] = i; /* WRONG */
#endif
        use(values);
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (values[COUNT - 1] != 7)
            MPI_Abort(WORLD, 3);
    } else {
        values[COUNT - 1] = 7;
        MPI_Barrier(WORLD);
        MPI_Send(values, COUNT, MPI_DOUBLE, 0, 0, WORLD);
    }
    free(values);
}
