/* Doubles are sent, longs of the same size received, non-blocking.
 *
 * ranks: 2
 * expect: message.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double values[4] = {rank};
    MPI_Request request;
    if (rank == 0)
        MPI_Isend(values, 4, MPI_DOUBLE, 1, 0, WORLD, &request); /* WRONG */
    else
        MPI_Irecv(values, 4, TWIN(MPI_LONG, MPI_DOUBLE), 0, 0, WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
