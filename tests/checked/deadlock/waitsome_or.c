/* MPI_Waitsome for receives of messages with another tag.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * allow: deadlock.buffering
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int theirs[2], mine = rank, done, indices[2], left = 2;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&theirs[0], 1, MPI_INT, 1, TWIN(10, 0), WORLD, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_INT, 1, TWIN(11, 1), WORLD, &requests[1]);
        while (left > 0) {
            MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE); /* WRONG */
            left -= done;
        }
        MPI_Ssend(&mine, 1, MPI_INT, 1, 2, WORLD);
    } else {
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
        MPI_Send(&mine, 1, MPI_INT, 0, 1, WORLD);
        MPI_Recv(&theirs[0], 1, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    }
}
