/* A non-blocking receive that is never waited for, though its message comes.
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
    if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, WORLD, &request); /* WRONG */
#ifdef RIGHT
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
    MPI_Barrier(WORLD);
}
