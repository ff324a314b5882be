/* A non-blocking receive with MPI_DATATYPE_NULL.
 *
 * ranks: 2
 * expect: argument.datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 1) {
        MPI_Request request;
        MPI_Irecv(&value, 1, TWIN(MPI_DATATYPE_NULL, MPI_INT), 0, 0, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
}
