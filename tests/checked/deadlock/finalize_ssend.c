/* A synchronous send to a rank that is in MPI_Finalize.
 *
 * ranks: 3
 * expect: deadlock.ended | deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 2)
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, WORLD); /* WRONG */
#ifdef RIGHT
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 2, 0, WORLD, MPI_STATUS_IGNORE);
#endif
}
