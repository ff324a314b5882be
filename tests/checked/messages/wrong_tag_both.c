/* A message and a receive that were meant for each other have different tags; both are left at the end.
 *
 * ranks: 2
 * expect: message.lost
 * expect: message.never-came | request.never-completed
 * allow: deadlock.buffering request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 1)
        MPI_Irecv(&value, 1, MPI_INT, 0, TWIN(2, 1), WORLD, &request); /* WRONG */
    else
        MPI_Isend(&value, 1, MPI_INT, 1, 1, WORLD, &request); /* WRONG */
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Barrier(WORLD);
}
