/* A neighbourhood collective on a communicator without a topology.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm ring;
    int dims[1] = {2}, periods[1] = {1}, mine = rank, theirs[2];
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring);
    MPI_Neighbor_allgather(&mine, 1, MPI_INT, theirs, 1, MPI_INT, TWIN(WORLD, ring)); /* WRONG */
    MPI_Comm_free(&ring);
}
