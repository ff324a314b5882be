/* A receive is posted into a part of a running all-to-all's buffer.
 *
 * ranks: 2
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {rank}, theirs[8], counts[2] = {2, 2}, places[2] = {0, 2};
    MPI_Request requests[2];
    MPI_Ialltoallv(mine, counts, places, MPI_INT, theirs, counts, places, MPI_INT, WORLD, &requests[0]); /* WRONG */
    MPI_Irecv(&theirs[TWIN(3, 4)], 1, MPI_INT, 1 - rank, 0, WORLD, &requests[1]); /* WRONG */
    MPI_Send(mine, 1, MPI_INT, 1 - rank, 0, WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
