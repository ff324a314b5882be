/* The counts of a non-blocking operation are changed before it is complete.
 *
 * ranks: 2
 * expect: buffer.argument-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {rank}, theirs[4], counts[2] = {2, 2}, places[2] = {0, 2};
    MPI_Request request;
    MPI_Ialltoallv(mine, counts, places, MPI_INT, theirs, counts, places, MPI_INT, WORLD, &request); /* WRONG */
#ifndef RIGHT
    counts[0] = 1;
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef RIGHT
    counts[0] = 1;
#endif
    use(counts);
}
