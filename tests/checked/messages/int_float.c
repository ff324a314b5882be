/* Ints are sent, floats received.
 *
 * ranks: 2
 * expect: message.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank};
    if (rank == 0)
        MPI_Send(values, 4, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, 4, TWIN(MPI_FLOAT, MPI_INT), 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
