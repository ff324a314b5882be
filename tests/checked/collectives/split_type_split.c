/* MPI_Comm_split on one rank, MPI_Comm_split_type on the other.
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
        MPI_Comm_split(WORLD, 0, rank, &other); /* WRONG */
    else
        MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &other); /* WRONG */
    MPI_Comm_free(&other);
}
