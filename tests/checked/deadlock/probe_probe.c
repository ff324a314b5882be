/* Both ranks probe for a message before they send one.
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
    MPI_Status status;
#ifdef RIGHT
    MPI_Request request;
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
#endif
    MPI_Probe(1 - rank, 0, WORLD, &status); /* WRONG */
#ifndef RIGHT
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
#endif
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}
