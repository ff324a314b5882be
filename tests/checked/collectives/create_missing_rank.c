/* Only the ranks that will be in the new communicator call MPI_Comm_create.
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
    MPI_Group all, some;
    MPI_Comm other = MPI_COMM_NULL;
    int ranks[2] = {0, 1}, value = rank;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 2, ranks, &some);
    if (TWIN(rank < 2, 1))
        MPI_Comm_create(WORLD, some, &other); /* WRONG */
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* WRONG */
    if (other != MPI_COMM_NULL)
        MPI_Comm_free(&other);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}
