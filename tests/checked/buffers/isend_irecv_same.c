/* A rank sends and receives in the same buffer at once.
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
    MPI_Irecv(&values[0], 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]); /* WRONG */
    MPI_Isend(&values[TWIN(0, 1)], 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]); /* WRONG */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
