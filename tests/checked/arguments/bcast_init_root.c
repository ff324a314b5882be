/* A persistent broadcast from a root that does not exist.
 *
 * ranks: 2
 * expect: argument.root
 * mpi: mpich
 * bare: mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    MPI_Bcast_init(&value, 1, MPI_INT, TWIN(2, 0), WORLD, MPI_INFO_NULL, &request); /* WRONG */
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
