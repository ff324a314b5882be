/* A rank sends more to its neighbour than that expects.
 *
 * ranks: 2
 * expect: collective.count | message.truncated
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm ring;
    int dims[1] = {2}, periods[1] = {0}, mine[4] = {rank}, theirs[8];
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring);
    MPI_Neighbor_allgather(mine, rank == TWIN(0, -1) ? 4 : 2, MPI_INT, theirs, 2, MPI_INT, ring); /* WRONG */
    MPI_Comm_free(&ring);
}
