/* One variable for two requests.
 *
 * ranks: 2
 * expect: request.overwritten | request.never-completed
 * allow: request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Request requests[2];
    MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]); /* WRONG */
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[TWIN(0, 1)]); /* WRONG */
    requests[TWIN(1, 0)] = TWIN(MPI_REQUEST_NULL, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(WORLD);
}
