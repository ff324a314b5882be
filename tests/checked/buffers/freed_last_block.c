/* A receive buffer is freed while it is in flight; it is the last block of the heap, where nothing shows.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * lines: any
 * bare: openmpi=ends mpich=ends|crashes
 */
#include "../checked.h"

static void program(void)
{
    int *values = malloc(300 * sizeof *values), out[300] = {0};
    MPI_Request request;
    MPI_Irecv(values, 300, MPI_INT, 1 - rank, 0, WORLD, &request); /* WRONG */
    MPI_Send(out, 300, MPI_INT, 1 - rank, 0, WORLD);
#ifndef RIGHT
    free(values);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    free(values);
#endif
}
