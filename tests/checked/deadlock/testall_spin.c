/* One rank spins in MPI_Testall, the other one waits for it in a barrier.
 *
 * ranks: 2
 * expect: deadlock.polling
 * allow: deadlock.buffering
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int theirs[2], mine[2] = {rank, rank}, done = 0;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&theirs[0], 1, MPI_INT, 1, 0, WORLD, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_INT, 1, 1, WORLD, &requests[1]);
        while (!done) {
            MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE); /* WRONG */
            work_ms(1);
        }
    } else {
        MPI_Send(&mine[0], 1, MPI_INT, 0, 0, WORLD);
#ifdef RIGHT
        MPI_Send(&mine[1], 1, MPI_INT, 0, 1, WORLD);
#endif
    }
    MPI_Barrier(WORLD); /* WRONG */
#ifndef RIGHT
    if (rank == 1)
        MPI_Send(&mine[1], 1, MPI_INT, 0, 1, WORLD);
#endif
}
