/* The start of MPI_REQUEST_NULL.
 *
 * ranks: 2
 * expect: argument.request
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
#ifdef RIGHT
        MPI_Send_init(&value, 1, MPI_INT, 1, 0, WORLD, &request);
#endif
        MPI_Start(&request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef RIGHT
        MPI_Request_free(&request);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
