/* What rank 0 sends to rank 1 is not what that expects.
 *
 * ranks: 2
 * expect: collective.count | message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine[8] = {rank}, theirs[8], places[2] = {0, 4};
    int send[2] = {2, rank == 0 ? TWIN(4, 2) : 2}, receive[2] = {2, 2};
    MPI_Alltoallv(mine, send, places, MPI_INT, theirs, receive, places, MPI_INT, WORLD); /* WRONG */
}
