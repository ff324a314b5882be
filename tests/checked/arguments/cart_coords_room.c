/* Room for two of three coordinates.
 *
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm grid;
    int dims[3] = {2, 1, 1}, periods[3] = {0, 1, 0}, coords[3];
    MPI_Cart_create(WORLD, 3, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, TWIN(2, 3), coords); /* WRONG */
    MPI_Comm_free(&grid);
}
