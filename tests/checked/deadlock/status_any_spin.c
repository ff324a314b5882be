/* MPI_Request_get_status_any in a loop, with the others in a reduction.
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
    int theirs[2], mine = rank, done = 0, which, sum;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&theirs[0], 1, MPI_INT, 1, 0, WORLD, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_INT, 2, 0, WORLD, &requests[1]);
        while (!done)
            MPI_Request_get_status_any(2, requests, &which, &done, MPI_STATUS_IGNORE); /* WRONG */
        /* The second message comes after an answer to the first. */
        MPI_Send(&mine, 1, MPI_INT, 2, 1, WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
#ifdef RIGHT
    if (rank == 2)
        MPI_Recv(&sum, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    /* Meanwhile ranks 0 and 2 wait for each other, as it seems; but rank 0 needs only one of the two messages. */
    if (rank == 1)
        work_ms(1500);
    if (rank > 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
#ifndef RIGHT
    if (rank == 2)
        MPI_Recv(&sum, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
}
