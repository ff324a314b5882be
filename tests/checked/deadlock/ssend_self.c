/* A synchronous send to oneself.
 *
 * ranks: 1
 * expect: deadlock.self | deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
#ifdef RIGHT
    MPI_Request request;
    MPI_Irecv(&theirs, 1, MPI_INT, 0, 0, WORLD, &request);
    MPI_Ssend(&mine, 1, MPI_INT, 0, 0, WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Ssend(&mine, 1, MPI_INT, 0, 0, WORLD); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#endif
}
