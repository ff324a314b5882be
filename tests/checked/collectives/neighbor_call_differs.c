/* One rank gathers from its neighbours, the other exchanges with them.
 *
 * ranks: 2
 * expect: collective.call
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm ring;
    int dims[1] = {2}, periods[1] = {0}, mine[2] = {rank}, theirs[2];
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring);
    if (rank == TWIN(0, -1))
        MPI_Neighbor_allgather(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring); /* WRONG */
    else
        MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring); /* WRONG */
    MPI_Comm_free(&ring);
}
