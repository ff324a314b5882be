/* Persistent sends are waited for before the receives are started.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Request requests[2];
    MPI_Send_init(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]);
    MPI_Recv_init(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]);
#ifdef RIGHT
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#else
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* WRONG */
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
#endif
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
