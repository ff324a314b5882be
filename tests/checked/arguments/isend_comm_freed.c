/* A non-blocking send on a communicator that was freed.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other, copy;
    int value = rank;
    MPI_Comm_dup(WORLD, &other);
    copy = other;
#ifndef RIGHT
    MPI_Comm_free(&other);
#endif
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_INT, 1, 0, copy, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE); /* WRONG */
    }
#ifdef RIGHT
    MPI_Comm_free(&other);
#endif
}
