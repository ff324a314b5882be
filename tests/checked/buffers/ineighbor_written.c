/* What is sent to the neighbours is changed before the wait.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm ring;
    MPI_Request request;
    int dims[1] = {2}, periods[1] = {0}, mine[2] = {rank}, theirs[4];
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring);
    MPI_Ineighbor_allgather(mine, 2, MPI_INT, theirs, 2, MPI_INT, ring, &request); /* WRONG */
#ifndef RIGHT
    mine[1] = 7;
    use(mine);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Comm_free(&ring);
    use(theirs);
}
