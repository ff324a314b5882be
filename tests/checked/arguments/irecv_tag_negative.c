/* A non-blocking receive with a negative tag that is not MPI_ANY_TAG.
 *
 * ranks: 2
 * expect: argument.tag
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 1) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 0, TWIN(-99, MPI_ANY_TAG), WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 3, WORLD);
    }
}
