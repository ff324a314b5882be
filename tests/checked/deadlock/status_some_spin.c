/* MPI_Request_get_status_some in a loop for messages that nobody sends before the barrier.
 *
 * ranks: 3
 * expect: deadlock.polling
 * lines: all
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=hangs wheel-abi=hangs
 */
#include "../checked.h"

static void program(void)
{
    int theirs[2], mine = rank, done = 0, which[2];
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&theirs[0], 1, MPI_INT, 1, 0, WORLD, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_INT, 2, 0, WORLD, &requests[1]);
        while (done == 0)
            MPI_Request_get_status_some(2, requests, &done, which, MPI_STATUSES_IGNORE); /* WRONG */
        MPI_Send(&mine, 1, MPI_INT, 2, 1, WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        use(theirs);
    }
#ifdef RIGHT
    if (rank == 2)
        MPI_Recv(&theirs[0], 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
    MPI_Barrier(WORLD); /* WRONG */
#ifndef RIGHT
    if (rank == 2)
        MPI_Recv(&theirs[0], 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
}
