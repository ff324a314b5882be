/* Leaves of a gather need not wait; here they must not.
 *
 * ranks: 3
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    /* Rank 1 leaves the gather, then sends; the root receives that before it enters the gather. */
    int mine = rank, all[3], more = rank;
    if (rank == 0) {
#ifdef RIGHT
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD);
        MPI_Recv(&more, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE);
#else
        MPI_Recv(&more, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD);
#endif
    } else {
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD); /* WRONG */
        if (rank == 1)
            MPI_Send(&more, 1, MPI_INT, 0, 0, WORLD);
    }
}
