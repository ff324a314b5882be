/* MPI_Startall of requests of which one is active.
 *
 * ranks: 2
 * expect: request.started-twice
 * allow: request.never-completed
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Request requests[2];
    MPI_Recv_init(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]);
    MPI_Send_init(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]);
    MPI_Start(&requests[0]);
#ifdef RIGHT
    MPI_Start(&requests[1]);
#else
    MPI_Startall(2, requests); /* WRONG */
#endif
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
