/* One rank is in a barrier, the other one waits for a message that it sends after the barrier.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0) {
#ifdef RIGHT
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#endif
        MPI_Barrier(WORLD); /* WRONG */
#ifndef RIGHT
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Barrier(WORLD);
    }
}
