/* A broadcast in the middle of a loop that one rank leaves a step early.
 *
 * ranks: 3
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    double field[5000] = {rank}, mine = 1, most;
    for (int step = 0; step < 5; step++) {
        MPI_Bcast(field, 5000, MPI_DOUBLE, step % size, WORLD); /* WRONG */
        if (rank == TWIN(1, -1) && step == 3)
            break;
    }
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, WORLD); /* WRONG */
}
