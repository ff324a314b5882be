/* A negative count in a non-blocking receive.
 *
 * ranks: 2
 * expect: argument.count
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 1) {
        MPI_Request request;
        MPI_Irecv(&value, TWIN(-4, 1), MPI_INT, 0, 0, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
}
