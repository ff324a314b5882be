/* A receive is freed before it is complete.
 *
 * ranks: 2
 * expect: request.freed-active
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, ready = 1;
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, WORLD, &request);
#ifdef RIGHT
        MPI_Send(&ready, 1, MPI_INT, 0, 1, WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
        MPI_Request_free(&request); /* WRONG */
        MPI_Send(&ready, 1, MPI_INT, 0, 1, WORLD);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
    MPI_Barrier(WORLD);
}
