/* Different roots of a non-blocking gather.
 *
 * ranks: 2
 * expect: collective.root
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[2], counts[2] = {1, 1}, places[2] = {0, 1};
    MPI_Request request;
    MPI_Igatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, rank == TWIN(1, -1) ? 1 : 0, WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
