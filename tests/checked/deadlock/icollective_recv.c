/* A non-blocking barrier is waited for before the message that the other rank needs.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 0) {
        MPI_Ibarrier(WORLD, &request);
#ifdef RIGHT
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Ibarrier(WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}
