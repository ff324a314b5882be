/* MPI_Waitall for sends only; the receives come after it.
 *
 * ranks: 3
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs[2];
    MPI_Request requests[2];
    for (int n = 1; n < size; n++)
        MPI_Isend(&mine, 1, MPI_INT, (rank + n) % size, 0, WORLD, &requests[n - 1]);
#ifndef RIGHT
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* WRONG */
#endif
    for (int n = 1; n < size; n++)
        MPI_Recv(&theirs[n - 1], 1, MPI_INT, (rank + n) % size, 0, WORLD, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
}
