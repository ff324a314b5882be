/* Of two persistent requests only one is started before MPI_Waitall.
 *
 * ranks: 2
 * expect: request.inactive
 * allow: deadlock.buffering message.lost
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Request requests[2];
    MPI_Recv_init(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]);
    MPI_Send_init(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]);
#ifdef RIGHT
    MPI_Start(&requests[0]);
#endif
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* WRONG */
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
