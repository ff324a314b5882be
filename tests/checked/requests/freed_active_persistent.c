/* An active persistent receive is freed.
 *
 * ranks: 2
 * expect: request.freed-active
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, sent = rank;
    MPI_Request request;
    if (rank == 1) {
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, WORLD, &request);
        MPI_Start(&request);
        MPI_Send(&sent, 1, MPI_INT, 0, 1, WORLD);
#ifdef RIGHT
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        MPI_Request_free(&request); /* WRONG */
    } else {
        MPI_Recv(&value, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
        pause_ms(100);
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
    MPI_Barrier(WORLD);
}
