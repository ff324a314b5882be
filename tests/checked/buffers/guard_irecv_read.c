/* An element of a large receive buffer is read before the wait.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 100000 };

static void program(void)
{
    double *values = calloc(COUNT, sizeof *values);
    volatile double *look = values + 5000;
    double sum = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(values, COUNT, MPI_DOUBLE, 1, 0, WORLD, &request);
        MPI_Barrier(WORLD);
#ifndef RIGHT
        sum += *look; /* WRONG */
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += *look;
        use(&sum);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, COUNT, MPI_DOUBLE, 0, 0, WORLD);
    }
    free(values);
}
