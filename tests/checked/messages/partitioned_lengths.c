/* Both sides of a partitioned message have another amount of data.
 *
 * ranks: 2
 * expect: message.truncated | message.datatype
 * mpi: mpich
 * bare: mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[8] = {rank};
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(values, 2, 4, MPI_INT, 1, 0, WORLD, MPI_INFO_NULL, &request); /* WRONG */
        MPI_Start(&request); /* WRONG */
        MPI_Pready_range(0, 1, request);
    } else {
        MPI_Precv_init(values, TWIN(1, 2), 4, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &request); /* WRONG */
        MPI_Start(&request); /* WRONG */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
