/* A communicator is used before the operation that makes it is complete.
 *
 * ranks: 2
 * expect: argument.communicator
 * lines: any
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm copy;
    MPI_Request request;
    int value = rank, members;
    MPI_Comm_idup(WORLD, &copy, &request);
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_size(copy, &members);
#else
    MPI_Comm_size(copy, &members); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Comm_free(&copy);
}
