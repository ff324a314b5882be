/* One rank goes once more through a loop with a reduction; the others are in a barrier by then.
 *
 * ranks: 3
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    double residual = 1, all;
    int steps = rank == TWIN(2, -1) ? 4 : 3;
    for (int step = 0; step < steps; step++) {
        MPI_Allreduce(&residual, &all, 1, MPI_DOUBLE, MPI_MAX, WORLD); /* WRONG */
        residual /= 2;
    }
    MPI_Barrier(WORLD); /* WRONG */
#ifndef RIGHT
    MPI_Barrier(WORLD); /* WRONG */
#endif
}
