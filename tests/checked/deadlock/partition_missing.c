/* One partition is never marked ready; sender and receiver wait for ever.
 *
 * ranks: 2
 * expect: deadlock.cycle | deadlock.self
 * mpi: mpich
 * bare: mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int values[8] = {rank};
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(values, 4, 2, MPI_INT, 1, 0, WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, TWIN(2, 3), request);
    } else {
        MPI_Precv_init(values, 4, 2, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Request_free(&request);
}
