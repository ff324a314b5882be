/* A rank is translated that is not in the group.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group world, self;
    int ranks[3] = {1, MPI_PROC_NULL, TWIN(2, 0)}, out[3];
    MPI_Comm_group(WORLD, &world);
    MPI_Comm_group(MPI_COMM_SELF, &self);
    MPI_Group_translate_ranks(world, 3, ranks, self, out); /* WRONG */
    MPI_Group_free(&self);
    MPI_Group_free(&world);
}
