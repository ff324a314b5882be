/* A partition is marked ready for the second time.
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
        MPI_Start(&request);
        MPI_Pready(0, request);
        MPI_Pready(TWIN(0, 1), request); /* WRONG */
#ifndef RIGHT
        MPI_Pready(1, request);
#endif
    } else {
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
