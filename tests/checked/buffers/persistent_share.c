/* A persistent send and a persistent receive of the same buffer are active together.
 *
 * ranks: 2
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[2] = {rank, rank};
    MPI_Request requests[2];
    MPI_Recv_init(&values[0], 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]); /* WRONG */
    MPI_Send_init(&values[TWIN(0, 1)], 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]); /* WRONG */
    MPI_Startall(2, requests); /* WRONG */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
