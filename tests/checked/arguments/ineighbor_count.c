/* A negative count in a non-blocking neighbourhood collective.
 *
 * ranks: 2
 * expect: argument.count
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm ring;
    MPI_Request request;
    int dims[1] = {2}, periods[1] = {0}, mine[2] = {rank}, theirs[2];
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring);
    MPI_Ineighbor_alltoall(mine, TWIN(-1, 1), MPI_INT, theirs, 1, MPI_INT, ring, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
}
