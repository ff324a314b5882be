/* The buffer of a receive is cleared after the receive was posted.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *values = malloc(4096 * sizeof(int));
    MPI_Request request;
#ifdef RIGHT
    memset(values, 1, 4096 * sizeof(int));
    use(values);
#endif
    if (rank == 1) {
        MPI_Irecv(values, 4096, MPI_INT, 0, 0, WORLD, &request); /* WRONG */
#ifndef RIGHT
        memset(values, 1, 4096 * sizeof(int));
        use(values);
#endif
        MPI_Send(NULL, 0, MPI_INT, 0, 1, WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        memset(values, 2, 4096 * sizeof(int));
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(values, 4096, MPI_INT, 1, 0, WORLD);
    }
    free(values);
}
