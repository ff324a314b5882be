/* A small message that nobody receives.
 *
 * ranks: 2
 * expect: message.lost
 * allow: deadlock.buffering
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
    MPI_Barrier(WORLD);
}
