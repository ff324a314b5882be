/* A persistent broadcast on one rank, a non-blocking one on the other.
 *
 * ranks: 2
 * expect: collective.blocking | collective.call | collective.missing
 * allow: deadlock.buffering collective.missing
 * mpi: mpich
 * bare: mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (TWIN(rank == 0, 1)) {
        MPI_Bcast_init(&value, 1, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request); /* WRONG */
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Ibcast(&value, 1, MPI_INT, 0, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}
