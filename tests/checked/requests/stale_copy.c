/* A copy of a request is waited for after the request was.
 *
 * ranks: 2
 * expect: request.stale | argument.request
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request, copy;
    if (rank == 0)
        MPI_Isend(&value, 1, MPI_INT, 1, 0, WORLD, &request);
    else
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, WORLD, &request);
    copy = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef RIGHT
    copy = request;
#endif
    MPI_Wait(&copy, MPI_STATUS_IGNORE); /* WRONG */
}
