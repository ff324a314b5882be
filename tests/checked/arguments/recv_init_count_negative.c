/* A negative count in a persistent receive.
 *
 * ranks: 2
 * expect: argument.count
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 1) {
        MPI_Request request;
        MPI_Recv_init(&value, TWIN(-1, 1), MPI_INT, 0, 0, WORLD, &request); /* WRONG */
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
}
