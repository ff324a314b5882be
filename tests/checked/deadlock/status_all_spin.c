/* MPI_Request_get_status_all in a loop: one of the two messages is never sent.
 *
 * ranks: 3
 * expect: deadlock.polling
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=hangs wheel-abi=hangs
 */
#include "../checked.h"

static void program(void)
{
    int theirs[2], mine = rank, done = 0;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&theirs[0], 1, MPI_INT, 1, 0, WORLD, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_INT, 2, TWIN(1, 0), WORLD, &requests[1]);
        while (!done)
            MPI_Request_get_status_all(2, requests, &done, MPI_STATUSES_IGNORE); /* WRONG */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        use(theirs);
    } else {
        MPI_Ssend(&mine, 1, MPI_INT, 0, 0, WORLD);
    }
}
