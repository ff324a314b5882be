/* A receive that no message ever comes for; the program ends with it posted.
 *
 * ranks: 2
 * expect: message.never-came | request.never-completed
 * allow: message.never-came request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 1)
        MPI_Irecv(&value, 1, MPI_INT, 0, 9, WORLD, &request); /* WRONG */
    MPI_Barrier(WORLD);
#ifdef RIGHT
    if (rank == 1) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
#endif
}
