/* A root that need not wait in a broadcast sends what the others receive before the broadcast.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    /* The message is sent after the broadcast and received before it: a root may have to wait in the broadcast. */
    int value = rank, more = rank;
    if (rank == 0) {
#ifdef RIGHT
        MPI_Send(&more, 1, MPI_INT, 1, 0, WORLD);
#endif
        MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* WRONG */
#ifndef RIGHT
        MPI_Send(&more, 1, MPI_INT, 1, 0, WORLD);
#endif
    } else {
        MPI_Recv(&more, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
    }
}
