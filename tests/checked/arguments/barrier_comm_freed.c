/* A barrier on a communicator that was freed.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other, copy;
    MPI_Comm_dup(WORLD, &other);
    copy = other;
#ifndef RIGHT
    MPI_Comm_free(&other);
#endif
    MPI_Barrier(copy); /* WRONG */
#ifdef RIGHT
    MPI_Comm_free(&other);
#endif
}
