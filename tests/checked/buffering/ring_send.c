/* Standard sends all round a ring.
 *
 * ranks: 4
 * expect: deadlock.buffering
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, left = (rank + size - 1) % size, right = (rank + 1) % size;
#ifdef RIGHT
    if (rank == 0) {
        MPI_Recv(&theirs, 1, MPI_INT, left, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&mine, 1, MPI_INT, right, 0, WORLD);
        return;
    }
#endif
    MPI_Send(&mine, 1, MPI_INT, right, 0, WORLD); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, left, 0, WORLD, MPI_STATUS_IGNORE);
}
