/* A persistent send to MPI_ANY_SOURCE.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0) {
        MPI_Request request;
        MPI_Send_init(&value, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, 1), 0, WORLD, &request); /* WRONG */
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
