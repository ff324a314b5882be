/* An MPI_Rget in an epoch of fences; requests are for passive targets.
 *
 * ranks: 2
 * expect: rma.no-epoch | rma.epoch-nested
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Request request;
#ifdef RIGHT
    MPI_Win_lock_all(0, window);
    MPI_Rget(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
#else
    MPI_Win_fence(0, window);
    MPI_Rget(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
#endif
    MPI_Win_free(&window);
}
