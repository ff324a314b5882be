/* Coordinates asked of a communicator without a topology.
 *
 * ranks: 4
 * expect: argument.communicator
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm grid;
    int dims[2] = {2, 2}, periods[2] = {0, 0}, coords[2];
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_coords(TWIN(WORLD, grid), rank, 2, coords); /* WRONG */
    MPI_Comm_free(&grid);
}
