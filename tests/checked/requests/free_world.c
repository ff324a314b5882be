/* MPI_COMM_WORLD is freed.
 *
 * ranks: 2
 * expect: object.freed | argument.communicator
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm comm = WORLD;
#ifdef RIGHT
    MPI_Comm_dup(WORLD, &comm);
#endif
    MPI_Comm_free(&comm); /* WRONG */
}
