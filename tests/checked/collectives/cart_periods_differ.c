/* One rank takes the grid for periodic.
 *
 * ranks: 2
 * expect: collective.argument
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm ring;
    int dims[1] = {2}, periods[1] = {rank == TWIN(1, -1) ? 1 : 0};
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring); /* WRONG */
    MPI_Comm_free(&ring);
}
