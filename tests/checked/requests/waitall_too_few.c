/* The last request of an array is not among those waited for.
 *
 * ranks: 2
 * expect: request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[3] = {rank}, theirs[3];
    MPI_Request requests[6];
    for (int n = 0; n < 3; n++)
        MPI_Irecv(&theirs[n], 1, MPI_INT, 1 - rank, n, WORLD, &requests[n]);
    for (int n = 0; n < 3; n++)
        MPI_Isend(&mine[n], 1, MPI_INT, 1 - rank, n, WORLD, &requests[3 + n]); /* WRONG */
    MPI_Waitall(TWIN(5, 6), requests, MPI_STATUSES_IGNORE);
}
