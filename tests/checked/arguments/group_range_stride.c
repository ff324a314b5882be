/* A range of ranks with a stride of 0.
 *
 * ranks: 4
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group world, some;
    int ranges[2][3] = {{3, 1, -2}, {0, 0, TWIN(0, 1)}};
    MPI_Comm_group(WORLD, &world);
    MPI_Group_range_incl(world, 2, ranges, &some); /* WRONG */
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}
