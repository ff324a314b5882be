/* A non-blocking barrier that is never waited for.
 *
 * ranks: 2
 * expect: request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Request request;
    MPI_Ibarrier(WORLD, &request); /* WRONG */
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}
