/* A non-blocking send that is never waited for.
 *
 * ranks: 2
 * expect: request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 0, WORLD, &request); /* WRONG */
#ifdef RIGHT
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(WORLD);
}
