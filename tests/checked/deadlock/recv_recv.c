/* Both ranks receive before they send.
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
    if (rank == 0)
        MPI_Send(&mine, 1, MPI_INT, 1, 0, WORLD);
#endif
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    if (TWIN(1, rank == 1))
        MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
}
