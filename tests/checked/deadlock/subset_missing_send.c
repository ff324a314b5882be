/* A gather written by hand, in which one rank forgets to send.
 *
 * ranks: 4
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[4];
    if (rank == 0) {
        for (int n = 1; n < size; n++)
            MPI_Recv(&all[n], 1, MPI_INT, n, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    } else if (TWIN(rank != 2, 1)) {
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
    }
    MPI_Barrier(WORLD); /* WRONG */
}
