/* A persistent request is started from a copy after it was freed.
 *
 * ranks: 2
 * expect: request.stale | argument.request | request.not-persistent
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Request request, copy;
    MPI_Send_init(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
    copy = request;
#ifndef RIGHT
    MPI_Request_free(&request);
#endif
    MPI_Start(&copy); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&copy, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    MPI_Request_free(&request);
#endif
}
