/* A duplicated communicator is never freed.
 *
 * ranks: 2
 * expect: leak.communicator
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    MPI_Comm_dup(WORLD, &other); /* WRONG */
    MPI_Barrier(other);
#ifdef RIGHT
    MPI_Comm_free(&other);
#endif
}
