/* The receive is there first and too short.
 *
 * ranks: 2
 * expect: message.truncated
 * bare: openmpi=hangs mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    double values[100] = {rank};
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(values, TWIN(99, 100), MPI_DOUBLE, 0, 0, WORLD, &request); /* WRONG */
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, 100, MPI_DOUBLE, 1, 0, WORLD); /* WRONG */
    }
}
