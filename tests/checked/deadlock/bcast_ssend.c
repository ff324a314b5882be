/* The root sends synchronously to a rank that is in the broadcast already.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, more = 0;
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 2, 0, WORLD); /* WRONG */
#ifdef RIGHT
    if (rank == 2)
        MPI_Recv(&more, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#endif
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* WRONG */
#ifndef RIGHT
    if (rank == 2)
        MPI_Recv(&more, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#endif
    use(&more);
}
