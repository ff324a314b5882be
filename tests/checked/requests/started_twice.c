/* A persistent send is started again before it is complete.
 *
 * ranks: 2
 * expect: request.started-twice
 * allow: request.never-completed
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 0) {
        MPI_Ssend_init(&value, 1, MPI_INT, 1, 0, WORLD, &request);
        MPI_Start(&request);
#ifdef RIGHT
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        MPI_Start(&request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        pause_ms(200);
        for (int n = 0; n < 2; n++)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
