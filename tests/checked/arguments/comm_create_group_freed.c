/* A communicator of a group that was freed.
 *
 * ranks: 2
 * expect: argument.group
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group all, copy;
    MPI_Comm other;
    MPI_Comm_group(WORLD, &all);
    copy = all;
#ifndef RIGHT
    MPI_Group_free(&all);
#endif
    MPI_Comm_create(WORLD, copy, &other); /* WRONG */
    MPI_Comm_free(&other);
#ifdef RIGHT
    MPI_Group_free(&all);
#endif
}
