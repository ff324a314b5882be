/* What was packed may be received as what it is; ints may not be received as packed data by accident.
 *
 * ranks: 2
 * expect: message.datatype | message.untyped
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank}, at = 0;
    char packed[64];
    MPI_Pack(values, 4, MPI_INT, packed, sizeof packed, &at, WORLD);
    if (rank == 0)
        MPI_Send(TWIN((void *)values, (void *)packed), TWIN(4, at), TWIN(MPI_INT, MPI_PACKED), 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, 4, TWIN(MPI_FLOAT, MPI_INT), 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
