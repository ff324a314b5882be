/* Of two groups only one is freed.
 *
 * ranks: 2
 * expect: leak.group
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group all, some;
    int ranks[1] = {0};
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, ranks, &some); /* WRONG */
    MPI_Group_free(&all);
#ifdef RIGHT
    MPI_Group_free(&some);
#endif
}
