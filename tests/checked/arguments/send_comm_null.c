/* A send on MPI_COMM_NULL.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, TWIN(MPI_COMM_NULL, WORLD)); /* WRONG */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
}
