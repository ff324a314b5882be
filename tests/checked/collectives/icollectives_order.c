/* Two non-blocking operations in another order on one rank.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, sum;
    MPI_Request requests[2];
    if (rank == TWIN(0, -1)) {
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, &requests[0]); /* WRONG */
        MPI_Ibcast(&value, 1, MPI_INT, 0, WORLD, &requests[1]); /* WRONG */
    } else {
        MPI_Ibcast(&value, 1, MPI_INT, 0, WORLD, &requests[0]); /* WRONG */
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, &requests[1]); /* WRONG */
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
