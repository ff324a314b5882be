/* A loop stores all its requests in one element.
 *
 * ranks: 3
 * expect: request.overwritten | request.never-completed
 * allow: request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, values[3];
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (rank == 0) {
        for (int n = 1; n < size; n++)
            MPI_Irecv(&values[n], 1, MPI_INT, n, 0, WORLD, &requests[TWIN(0, n)]); /* WRONG */
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
    MPI_Barrier(WORLD);
}
