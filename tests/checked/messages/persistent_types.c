/* Persistent send and receive of different types.
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
    MPI_Request request;
    if (rank == 0)
        MPI_Send_init(values, 4, MPI_INT, 1, 0, WORLD, &request); /* WRONG */
    else
        MPI_Recv_init(values, 4, TWIN(MPI_FLOAT, MPI_INT), 0, 0, WORLD, &request); /* WRONG */
    for (int step = 0; step < 3; step++) {
        MPI_Start(&request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}
