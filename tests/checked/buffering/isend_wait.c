/* Non-blocking sends that are waited for before the receives.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[8] = {rank}, theirs[8];
    MPI_Request request;
    MPI_Isend(mine, 8, MPI_INT, 1 - rank, 0, WORLD, &request);
#ifndef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
#endif
    MPI_Recv(theirs, 8, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}
