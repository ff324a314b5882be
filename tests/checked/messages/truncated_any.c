/* A wildcard takes the longer message, though the shorter one was meant.
 *
 * ranks: 2
 * expect: message.truncated
 * allow: message.lost deadlock.buffering
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[10] = {rank};
    if (rank == 0) {
        MPI_Send(values, 10, MPI_INT, 1, 1, WORLD); /* WRONG */
        MPI_Send(values, 2, MPI_INT, 1, 2, WORLD);
    } else {
        MPI_Recv(values, TWIN(2, 10), MPI_INT, 0, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(values, 10, MPI_INT, 0, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
    }
}
