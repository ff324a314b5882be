/* A partition is asked for that the request does not have.
 *
 * ranks: 2
 * expect: request.partition
 * mpi: mpich
 * bare: mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank}, has_come;
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 0, WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
    } else {
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Parrived(request, TWIN(2, 1), &has_come); /* WRONG */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
