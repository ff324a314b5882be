/* Large standard sends all round a ring of three.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * not: wheel-impi
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int count = 1 << 20, left = (rank + size - 1) % size, right = (rank + 1) % size;
    double *mine = calloc(count, sizeof(double)), *theirs = calloc(count, sizeof(double));
#ifdef RIGHT
    MPI_Request request;
    MPI_Irecv(theirs, count, MPI_DOUBLE, left, 0, WORLD, &request);
    MPI_Send(mine, count, MPI_DOUBLE, right, 0, WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Send(mine, count, MPI_DOUBLE, right, 0, WORLD); /* WRONG */
    MPI_Recv(theirs, count, MPI_DOUBLE, left, 0, WORLD, MPI_STATUS_IGNORE);
#endif
    free(mine);
    free(theirs);
}
