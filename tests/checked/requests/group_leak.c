/* The group of a communicator is never freed.
 *
 * ranks: 2
 * expect: leak.group
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group all;
    int members;
    MPI_Comm_group(WORLD, &all); /* WRONG */
    MPI_Group_size(all, &members);
#ifdef RIGHT
    MPI_Group_free(&all);
#endif
}
