/* MPI_Start of a request that is not persistent.
 *
 * ranks: 2
 * expect: request.not-persistent
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 0) {
        TWIN(MPI_Issend, MPI_Ssend_init)(&value, 1, MPI_INT, 1, 0, WORLD, &request);
        MPI_Start(&request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef RIGHT
        MPI_Request_free(&request);
#endif
    } else {
        pause_ms(100);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
