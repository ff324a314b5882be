/* Ranks make grids of different shape.
 *
 * ranks: 4
 * expect: collective.argument
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm grid;
    int dims[2] = {rank == TWIN(3, -1) ? 4 : 2, rank == TWIN(3, -1) ? 1 : 2}, periods[2] = {0, 0};
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid); /* WRONG */
    MPI_Comm_free(&grid);
}
