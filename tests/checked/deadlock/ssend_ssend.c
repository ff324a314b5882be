/* Both ranks send synchronously before they receive.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
#ifdef RIGHT
    MPI_Request request;
    MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
    MPI_Ssend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Ssend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#endif
}
