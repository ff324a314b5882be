/* MPI_Testsome in a loop for messages that come only after a barrier.
 *
 * ranks: 2
 * expect: deadlock.polling
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int theirs[2], mine = rank, done = 0, indices[2], left = 2;
    MPI_Request requests[2];
    if (rank == 0) {
        for (int n = 0; n < 2; n++)
            MPI_Irecv(&theirs[n], 1, MPI_INT, 1, n, WORLD, &requests[n]);
#ifdef RIGHT
        MPI_Barrier(WORLD);
#endif
        while (left > 0) {
            MPI_Testsome(2, requests, &done, indices, MPI_STATUSES_IGNORE); /* WRONG */
            left -= done;
        }
#ifndef RIGHT
        MPI_Barrier(WORLD);
#endif
    } else {
        MPI_Barrier(WORLD); /* WRONG */
        for (int n = 0; n < 2; n++)
            MPI_Send(&mine, 1, MPI_INT, 0, n, WORLD);
    }
}
