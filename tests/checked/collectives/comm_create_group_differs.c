/* The ranks of MPI_Comm_create pass different groups.
 *
 * ranks: 3
 * expect: collective.argument
 * allow: leak.communicator
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group all, some;
    MPI_Comm other = MPI_COMM_NULL;
    int ranks[2] = {0, rank == TWIN(1, -1) ? 2 : 1};
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 2, ranks, &some);
    MPI_Comm_create(WORLD, some, &other); /* WRONG */
    if (other != MPI_COMM_NULL)
        MPI_Comm_free(&other);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}
