/* A non-blocking duplicate on one rank, a non-blocking barrier on the other.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=aborts mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Request request;
    if (TWIN(rank == 0, 1))
        MPI_Comm_idup(WORLD, &other, &request); /* WRONG */
    else
        MPI_Ibarrier(WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (other != MPI_COMM_NULL)
        MPI_Comm_free(&other);
}
