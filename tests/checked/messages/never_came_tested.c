/* A receive that is tested now and then and never comes.
 *
 * ranks: 2
 * expect: message.never-came | request.never-completed
 * allow: message.never-came request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, done = 0;
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, TWIN(8, 9), WORLD, &request); /* WRONG */
        for (int n = 0; n < 100 && !done; n++) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            work_ms(1);
        }
#ifdef RIGHT
        if (!done)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 9, WORLD);
#endif
    }
    MPI_Barrier(WORLD);
}
