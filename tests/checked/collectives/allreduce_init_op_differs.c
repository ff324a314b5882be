/* Persistent reductions with different operations.
 *
 * ranks: 2
 * expect: collective.operation
 * mpi: mpich
 * bare: mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum;
    MPI_Request request;
    MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, rank == TWIN(1, -1) ? MPI_MAX : MPI_SUM, WORLD, MPI_INFO_NULL, &request); /* WRONG */
    MPI_Start(&request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
