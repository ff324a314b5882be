/* A broadcast is non-blocking on the root and blocking elsewhere.
 *
 * ranks: 3
 * expect: collective.blocking | collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (TWIN(rank == 0, 1)) {
        MPI_Ibcast(&value, 1, MPI_INT, 0, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* WRONG */
    }
}
