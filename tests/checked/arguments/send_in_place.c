/* MPI_IN_PLACE as the buffer of a send.
 *
 * ranks: 2
 * expect: argument.in-place
 * bare: openmpi=crashes mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0)
        MPI_Send(TWIN(MPI_IN_PLACE, &value), 1, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
}
