/* A grid that is larger than the communicator.
 *
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm grid;
    int dims[2] = {2, TWIN(2, 1)}, periods[2] = {0, 0};
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid); /* WRONG */
    MPI_Comm_free(&grid);
}
