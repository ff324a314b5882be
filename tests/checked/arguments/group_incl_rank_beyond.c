/* A group of ranks that its parent does not have.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group all, some;
    int ranks[2] = {0, TWIN(2, 1)};
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 2, ranks, &some); /* WRONG */
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}
