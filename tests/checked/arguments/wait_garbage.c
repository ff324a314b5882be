/* A wait for a request that was never assigned.
 *
 * ranks: 1
 * expect: argument.request
 */
#include "../checked.h"

static void program(void)
{
    int mine = 1, theirs;
    MPI_Request request;
    memset(&request, 0x5a, sizeof request);
#ifdef RIGHT
    MPI_Isend(&mine, 1, MPI_INT, 0, 0, WORLD, &request);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    MPI_Recv(&theirs, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#else
    (void)mine, (void)theirs;
#endif
}
