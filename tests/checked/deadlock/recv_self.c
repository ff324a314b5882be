/* A rank receives from itself before it sends.
 *
 * ranks: 2
 * expect: deadlock.self | deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
#ifdef RIGHT
    MPI_Request request;
    MPI_Isend(&mine, 1, MPI_INT, rank, 0, WORLD, &request);
#endif
    MPI_Recv(&theirs, 1, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Send(&mine, 1, MPI_INT, rank, 0, WORLD);
#endif
}
