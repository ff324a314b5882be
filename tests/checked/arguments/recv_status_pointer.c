/* A null pointer for a status is not MPI_STATUS_IGNORE. It is in Open MPI and in the standard ABI.
 *
 * ranks: 2
 * expect: argument.null-pointer
 * mpi: mpich
 * not: wheel-abi
 * bare: mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, TWIN(NULL, MPI_STATUS_IGNORE)); /* WRONG */
    else
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
}
