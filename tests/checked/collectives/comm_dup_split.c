/* A duplicate on one rank, a split on the other: both make a communicator.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    if (TWIN(rank == 0, 1))
        MPI_Comm_dup(WORLD, &other); /* WRONG */
    else
        MPI_Comm_split(WORLD, 0, rank, &other); /* WRONG */
    MPI_Comm_free(&other);
}
