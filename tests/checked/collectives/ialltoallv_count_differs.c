/* What one rank sends in a non-blocking all-to-all is not what the other one expects.
 *
 * ranks: 2
 * expect: collective.count | message.truncated
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[8] = {rank}, theirs[8], places[2] = {0, 4};
    int send[2] = {1, 1}, receive[2] = {1, rank == 0 ? TWIN(3, 1) : 1};
    MPI_Request request;
    MPI_Ialltoallv(mine, send, places, MPI_INT, theirs, receive, places, MPI_INT, WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
