/* MPI_Waitany for two receives, and neither sender will send before it has an answer.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int theirs[2], mine = rank, which;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&theirs[0], 1, MPI_INT, 1, 0, WORLD, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_INT, 2, 0, WORLD, &requests[1]);
#ifdef RIGHT
        for (int n = 1; n < 3; n++)
            MPI_Send(&mine, 1, MPI_INT, n, 0, WORLD);
#endif
        MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#ifndef RIGHT
        for (int n = 1; n < 3; n++)
            MPI_Send(&mine, 1, MPI_INT, n, 0, WORLD);
#endif
    } else {
        MPI_Recv(&theirs[0], 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
    }
}
