/* A partition is marked ready before the request is started.
 *
 * ranks: 2
 * expect: request.partition
 * mpi: mpich
 * bare: mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank};
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 0, WORLD, MPI_INFO_NULL, &request);
#ifndef RIGHT
        MPI_Pready(0, request); /* WRONG */
#endif
        MPI_Start(&request);
#ifdef RIGHT
        MPI_Pready(0, request);
#endif
        MPI_Pready(1, request);
    } else {
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
