/* Coordinates outside of a grid that is not periodic.
 *
 * ranks: 4
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm grid;
    int dims[2] = {2, 2}, periods[2] = {0, 0}, coords[2] = {TWIN(2, 1), 0}, there;
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_rank(grid, coords, &there); /* WRONG */
    MPI_Comm_free(&grid);
}
