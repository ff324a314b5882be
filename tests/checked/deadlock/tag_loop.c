/* The sender counts its tags from 0, the receiver from 1.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * allow: deadlock.buffering
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    for (int step = 0; step < 10; step++) {
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, step, WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, step + TWIN(1, 0), WORLD, MPI_STATUS_IGNORE); /* WRONG */
    }
    MPI_Barrier(WORLD); /* WRONG */
}
