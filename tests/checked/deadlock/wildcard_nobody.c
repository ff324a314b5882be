/* A receive from any source, and everyone who could send receives as well.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
#ifdef RIGHT
    if (rank > 0)
        MPI_Send(&mine, 1, MPI_INT, rank - 1, 0, WORLD);
    if (rank < size - 1)
#endif
        MPI_Recv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#ifndef RIGHT
    MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, 0, WORLD);
#endif
}
