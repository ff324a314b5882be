/* All ranks of a ring send synchronously.
 *
 * ranks: 4
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, left = (rank + size - 1) % size, right = (rank + 1) % size;
#ifdef RIGHT
    if (rank % 2) {
        MPI_Recv(&theirs, 1, MPI_INT, left, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(&mine, 1, MPI_INT, right, 0, WORLD);
        return;
    }
#endif
    MPI_Ssend(&mine, 1, MPI_INT, right, 0, WORLD); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, left, 0, WORLD, MPI_STATUS_IGNORE);
}
