/* Two ranks receive from any source after the third has left.
 *
 * ranks: 3
 * expect: deadlock.cycle | deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#ifdef RIGHT
        MPI_Send(&value, 1, MPI_INT, 2, 0, WORLD);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE);
#ifndef RIGHT
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#endif
    }
}
