/* A persistent ready send is started before the receive.
 *
 * ranks: 2
 * expect: message.ready-send
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 0)
        MPI_Rsend_init(&value, 1, MPI_INT, 1, 0, WORLD, &request);
    else
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, WORLD, &request);
    if (rank == 1) {
#ifndef RIGHT
        pause_ms(300);
#endif
        MPI_Start(&request);
    }
#ifdef RIGHT
    MPI_Barrier(WORLD);
#endif
    if (rank == 0)
        MPI_Start(&request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
