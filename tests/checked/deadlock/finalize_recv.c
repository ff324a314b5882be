/* A rank waits for a message of one that is in MPI_Finalize.
 *
 * ranks: 2
 * expect: deadlock.ended | deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
#ifdef RIGHT
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#endif
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
