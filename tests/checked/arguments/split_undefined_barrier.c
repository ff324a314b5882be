/* A rank with colour MPI_UNDEFINED uses the null communicator it was given.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm some;
    MPI_Comm_split(WORLD, rank == 0 ? 1 : MPI_UNDEFINED, rank, &some);
#ifdef RIGHT
    if (some != MPI_COMM_NULL)
#endif
        MPI_Barrier(some); /* WRONG */
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
}
