/* A persistent broadcast is initialised with each rank's own number as the root and started in every step.
 *
 * ranks: 3
 * expect: collective.root
 * mpi: mpich
 * bare: mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double state[8] = {rank};
    MPI_Request request;
    MPI_Bcast_init(state, 8, MPI_DOUBLE, TWIN(rank, 0), WORLD, MPI_INFO_NULL, &request); /* WRONG */
    for (int step = 0; step < 3; step++) {
        MPI_Start(&request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}
