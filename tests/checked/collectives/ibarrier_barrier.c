/* A blocking barrier does not match a non-blocking one.
 *
 * ranks: 2
 * expect: collective.blocking | collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Request request;
    if (rank == TWIN(0, -1)) {
        MPI_Barrier(WORLD); /* WRONG */
    } else {
        MPI_Ibarrier(WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}
