/* One of two persistent requests is never freed.
 *
 * ranks: 2
 * expect: leak.request
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int in;
    MPI_Request requests[2];
    MPI_Send_init(&rank, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]); /* WRONG */
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[1]);
#ifdef RIGHT
    MPI_Request_free(&requests[0]);
#endif
}
