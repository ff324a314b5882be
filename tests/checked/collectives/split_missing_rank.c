/* One rank goes to a barrier instead of the split.
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
    MPI_Comm half = MPI_COMM_NULL;
    if (rank == TWIN(2, -1))
        MPI_Barrier(WORLD); /* WRONG */
    else
        MPI_Comm_split(WORLD, rank % 2, 0, &half); /* WRONG */
    if (half != MPI_COMM_NULL)
        MPI_Comm_free(&half);
}
