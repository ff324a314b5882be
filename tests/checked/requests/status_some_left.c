/* Requests that MPI_Request_get_status_some has called complete are not completed by that.
 *
 * ranks: 2
 * expect: request.never-completed
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=ends wheel-abi=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[2] = {rank, rank}, theirs[2], done = 0, which[2];
    MPI_Request requests[2];
    for (int n = 0; n < 2; n++)
        MPI_Irecv(&theirs[n], 1, MPI_INT, 1 - rank, n, WORLD, &requests[n]); /* WRONG */
    for (int n = 0; n < 2; n++)
        MPI_Send(&values[n], 1, MPI_INT, 1 - rank, n, WORLD);
    while (done == 0)
        MPI_Request_get_status_some(2, requests, &done, which, MPI_STATUSES_IGNORE);
    use(theirs);
#ifdef RIGHT
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
}
