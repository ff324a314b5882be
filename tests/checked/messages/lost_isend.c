/* A non-blocking send is complete, its message is never received.
 *
 * ranks: 3
 * expect: message.lost
 * allow: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 2) {
        MPI_Isend(&value, 1, MPI_INT, 0, 5, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    }
#ifdef RIGHT
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 2, 5, WORLD, MPI_STATUS_IGNORE);
#endif
    MPI_Barrier(WORLD);
}
