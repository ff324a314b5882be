/* No array of requests, but a count.
 *
 * ranks: 2
 * expect: argument.null-pointer | argument.request
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Request requests[2];
    MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]);
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]);
    MPI_Waitall(2, TWIN(NULL, requests), MPI_STATUSES_IGNORE); /* WRONG */
}
