/* All ranks look for messages of anyone in a loop, and nobody sends.
 *
 * ranks: 3
 * expect: deadlock.polling
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, there = 0;
    MPI_Status status;
#ifdef RIGHT
    MPI_Request request;
    MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, 0, WORLD, &request);
#endif
    while (!there)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &there, &status); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, WORLD, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, 0, WORLD);
#endif
}
