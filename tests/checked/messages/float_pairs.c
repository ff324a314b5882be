/* Two floats are not one double.
 *
 * ranks: 2
 * expect: message.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    float values[4] = {rank};
    if (rank == 0)
        MPI_Send(values, 4, MPI_FLOAT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, TWIN(2, 4), TWIN(MPI_DOUBLE, MPI_FLOAT), 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
