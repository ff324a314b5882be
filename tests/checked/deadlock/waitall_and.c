/* MPI_Waitall needs both neighbours, and one of them never sends.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * allow: deadlock.buffering
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int theirs[2], mine = rank;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&theirs[0], 1, MPI_INT, 1, 0, WORLD, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_INT, 2, 0, WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* WRONG */
        MPI_Send(&mine, 1, MPI_INT, 2, 0, WORLD);
    } else {
        if (TWIN(rank == 1, 1))
            MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
        if (rank == 2)
            MPI_Recv(&theirs[0], 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#ifndef RIGHT
        if (rank == 2)
            MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
    }
}
