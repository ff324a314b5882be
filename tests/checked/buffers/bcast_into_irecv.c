/* A broadcast into a buffer with a receive under way.
 *
 * ranks: 2
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank}, more[4] = {rank};
    MPI_Request request;
    if (rank == 1)
        MPI_Irecv(values, 4, MPI_INT, 0, 0, WORLD, &request); /* WRONG */
    MPI_Bcast(rank == 1 ? TWIN(values, more) : values, 4, MPI_INT, 0, WORLD); /* WRONG */
    if (rank == 0)
        MPI_Send(values, 4, MPI_INT, 1, 0, WORLD);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(more);
}
