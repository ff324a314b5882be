/* Persistent synchronous sends round a ring, each waited for before the receive is started.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Request requests[2];
    MPI_Ssend_init(&mine, 1, MPI_INT, (rank + 1) % size, 0, WORLD, &requests[0]);
    MPI_Recv_init(&theirs, 1, MPI_INT, (rank + size - 1) % size, 0, WORLD, &requests[1]);
    for (int step = 0; step < 3; step++) {
#ifdef RIGHT
        MPI_Start(&requests[1]);
#endif
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* WRONG */
#ifndef RIGHT
        MPI_Start(&requests[1]);
#endif
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
