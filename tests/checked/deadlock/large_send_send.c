/* Two large standard sends that hardly any MPI keeps.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * not: wheel-impi
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int count = 1 << 21;
    double *mine = calloc(count, sizeof(double)), *theirs = calloc(count, sizeof(double));
#ifdef RIGHT
    MPI_Sendrecv(mine, count, MPI_DOUBLE, 1 - rank, 0, theirs, count, MPI_DOUBLE, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#else
    MPI_Send(mine, count, MPI_DOUBLE, 1 - rank, 0, WORLD); /* WRONG */
    MPI_Recv(theirs, count, MPI_DOUBLE, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#endif
    free(mine);
    free(theirs);
}
