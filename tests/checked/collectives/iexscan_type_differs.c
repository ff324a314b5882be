/* A non-blocking exclusive scan of longs on one rank, of doubles on the other.
 *
 * ranks: 2
 * expect: collective.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double mine = 1, sum = 0;
    MPI_Request request;
    MPI_Iexscan(&mine, &sum, 1, rank == TWIN(1, -1) ? MPI_LONG : MPI_DOUBLE, MPI_SUM, WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
