/* Different operations in a non-blocking reduction.
 *
 * ranks: 2
 * expect: collective.operation
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all;
    MPI_Request request;
    MPI_Ireduce(&mine, &all, 1, MPI_INT, rank == TWIN(1, -1) ? MPI_PROD : MPI_MIN, 0, WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
