/* One rank waits for a message instead of taking part in the reduction.
 *
 * ranks: 4
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    double mine = rank, sum, extra;
    if (rank == TWIN(3, -1)) {
        MPI_Recv(&extra, 1, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        use(&extra);
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD); /* WRONG */
#ifndef RIGHT
    if (rank == 0)
        MPI_Send(&sum, 1, MPI_DOUBLE, 3, 0, WORLD);
#endif
}
