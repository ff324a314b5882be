/* A range of ranks that leaves the group.
 *
 * ranks: 3
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group world, some;
    int ranges[1][3] = {{0, TWIN(4, 3), 2}};
    MPI_Comm_group(WORLD, &world);
    MPI_Group_range_excl(world, 1, ranges, &some); /* WRONG */
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}
