/* A blocking send with a negative tag.
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
        MPI_Send(&value, 1, MPI_INT, 1, TWIN(-7, 7), WORLD); /* WRONG */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, TWIN(MPI_ANY_TAG, 7), WORLD, MPI_STATUS_IGNORE);
}
