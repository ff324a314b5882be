/* A shift along a dimension that the grid does not have.
 *
 * ranks: 4
 * expect: argument.value
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm grid;
    int dims[2] = {2, 2}, periods[2] = {0, 0}, before, after;
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_shift(grid, TWIN(2, 1), 1, &before, &after); /* WRONG */
    MPI_Comm_free(&grid);
}
