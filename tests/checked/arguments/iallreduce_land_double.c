/* A logical operation on floating-point numbers, non-blocking.
 *
 * ranks: 2
 * expect: argument.operation-datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    TWIN(double, int) mine = 1, all;
    MPI_Request request;
    MPI_Iallreduce(&mine, &all, 1, TWIN(MPI_DOUBLE, MPI_INT), MPI_LAND, WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
