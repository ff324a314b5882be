/* MPI_Testany in a loop, with the others in a reduction.
 *
 * ranks: 3
 * expect: deadlock.polling
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int theirs[2], mine = rank, done = 0, which, sum;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&theirs[0], 1, MPI_INT, 1, 0, WORLD, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_INT, 2, 0, WORLD, &requests[1]);
        while (!done)
            MPI_Testany(2, requests, &which, &done, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
#ifdef RIGHT
    if (rank > 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
#ifndef RIGHT
    if (rank > 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
}
