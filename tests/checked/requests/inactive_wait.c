/* A wait for a persistent receive that was not started.
 *
 * ranks: 2
 * expect: request.inactive
 * allow: deadlock.buffering message.lost
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 1) {
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, WORLD, &request);
#ifdef RIGHT
        MPI_Start(&request);
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Request_free(&request);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
}
