/* MPI_Comm_free of MPI_COMM_NULL on the rank that got none.
 *
 * ranks: 2
 * expect: argument.communicator | object.freed
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm some;
    MPI_Comm_split(WORLD, rank == 0 ? 1 : MPI_UNDEFINED, 0, &some);
    if (TWIN(1, some != MPI_COMM_NULL))
        MPI_Comm_free(&some); /* WRONG */
}
