/* A send before a barrier, whose receive is after it.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD); /* WRONG */
#ifdef RIGHT
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#endif
    MPI_Barrier(WORLD); /* WRONG */
#ifndef RIGHT
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#endif
}
