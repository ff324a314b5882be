/* A group is freed a second time through a copy of its handle.
 *
 * ranks: 2
 * expect: object.freed | argument.group
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group all, copy;
    MPI_Comm_group(WORLD, &all);
    copy = all;
    MPI_Group_free(&all);
#ifdef RIGHT
    copy = all;
    if (copy != MPI_GROUP_NULL)
#endif
        MPI_Group_free(&copy); /* WRONG */
}
