/* A grid is never freed.
 *
 * ranks: 2
 * expect: leak.communicator
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm grid;
    int dims[1] = {2}, periods[1] = {1};
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &grid); /* WRONG */
#ifdef RIGHT
    MPI_Comm_free(&grid);
#endif
}
