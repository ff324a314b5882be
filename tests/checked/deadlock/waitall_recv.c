/* MPI_Waitall for a receive whose sender waits for the same.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs[2];
    MPI_Request requests[2];
    MPI_Irecv(&theirs[0], 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]);
#ifdef RIGHT
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]);
#else
    MPI_Irecv(&theirs[1], 1, MPI_INT, 1 - rank, 1, WORLD, &requests[1]);
#endif
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* WRONG */
#ifndef RIGHT
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 1, WORLD);
#endif
}
