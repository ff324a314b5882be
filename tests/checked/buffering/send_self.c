/* A standard send to oneself before the receive.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
#ifdef RIGHT
    MPI_Request request;
    MPI_Irecv(&theirs, 1, MPI_INT, rank, 0, WORLD, &request);
    MPI_Send(&mine, 1, MPI_INT, rank, 0, WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Send(&mine, 1, MPI_INT, rank, 0, WORLD); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE);
#endif
}
