/* A partition is written after it was marked ready.
 *
 * ranks: 2
 * expect: buffer.send-written
 * mpi: mpich
 * bare: mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[8] = {rank};
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(values, 2, 4, MPI_INT, 1, 0, WORLD, MPI_INFO_NULL, &request); /* WRONG */
        MPI_Start(&request); /* WRONG */
        MPI_Pready(0, request); /* WRONG */
        values[TWIN(1, 5)] = 3;
        use(values);
        MPI_Pready(1, request);
    } else {
        MPI_Precv_init(values, 2, 4, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
        work_ms(100);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Request_free(&request);
}
