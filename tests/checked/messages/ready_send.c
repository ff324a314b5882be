/* A ready send whose receive comes later.
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
    if (rank == 1) {
#ifndef RIGHT
        pause_ms(300);
#endif
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, WORLD, &request);
    }
#ifdef RIGHT
    MPI_Barrier(WORLD);
#endif
    if (rank == 0)
        MPI_Rsend(&value, 1, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}
