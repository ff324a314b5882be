/* A send with MPI_ANY_TAG, which only receives may have.
 *
 * ranks: 2
 * expect: argument.tag
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, TWIN(MPI_ANY_TAG, 0), WORLD); /* WRONG */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
}
