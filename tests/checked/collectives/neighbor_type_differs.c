/* Neighbours exchange floats and ints.
 *
 * ranks: 2
 * expect: collective.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm ring;
    int dims[1] = {2}, periods[1] = {0}, mine[2] = {rank}, theirs[2];
    MPI_Datatype type = rank == TWIN(0, -1) ? MPI_FLOAT : MPI_INT;
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring);
    MPI_Neighbor_alltoall(mine, 1, type, theirs, 1, type, ring); /* WRONG */
    MPI_Comm_free(&ring);
}
