/* A test that fails, and then nobody asks again.
 *
 * ranks: 2
 * expect: request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, ready = 1, done = 0;
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, WORLD, &request); /* WRONG */
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
#ifdef RIGHT
        MPI_Send(&ready, 1, MPI_INT, 0, 1, WORLD);
        if (!done)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
        MPI_Send(&ready, 1, MPI_INT, 0, 1, WORLD);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
    MPI_Barrier(WORLD);
}
