/* One rank calls a barrier, the others a broadcast.
 *
 * ranks: 3
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == TWIN(1, -1))
        MPI_Barrier(WORLD); /* WRONG */
    else
        MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* WRONG */
}
