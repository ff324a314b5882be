/* A non-blocking receive into a null pointer.
 *
 * ranks: 2
 * expect: argument.buffer-null
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *values = NULL, value[4] = {rank};
#ifdef RIGHT
    values = value;
#endif
    if (rank == 1) {
        MPI_Request request;
        MPI_Irecv(values, 4, MPI_INT, 0, 0, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(value, 4, MPI_INT, 1, 0, WORLD);
    }
}
