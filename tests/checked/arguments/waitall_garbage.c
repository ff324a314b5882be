/* One of several requests was never assigned.
 *
 * ranks: 2
 * expect: argument.request
 * allow: request.never-completed message.lost
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Request requests[3];
    memset(requests, 0x33, sizeof requests);
    MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]);
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]);
    /* There are two requests, not three. */
    MPI_Waitall(TWIN(3, 2), requests, MPI_STATUSES_IGNORE); /* WRONG */
}
