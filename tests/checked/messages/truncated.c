/* A message of eight ints for a receive of four.
 *
 * ranks: 2
 * expect: message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[8] = {rank};
    if (rank == 0)
        MPI_Send(values, 8, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, TWIN(4, 8), MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
