/* All ranks of a ring receive from the left before they send to the right.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, left = (rank + size - 1) % size, right = (rank + 1) % size;
#ifdef RIGHT
    if (rank == 0)
        MPI_Send(&mine, 1, MPI_INT, right, 0, WORLD);
#endif
    MPI_Recv(&theirs, 1, MPI_INT, left, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    if (TWIN(1, rank > 0))
        MPI_Send(&mine, 1, MPI_INT, right, 0, WORLD);
}
