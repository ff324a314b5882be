/* Both ranks test for a receive in a loop before they send.
 *
 * ranks: 2
 * expect: deadlock.polling
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, done = 0;
    MPI_Request request;
    MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
#ifdef RIGHT
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
#endif
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* WRONG */
#ifndef RIGHT
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
#endif
}
