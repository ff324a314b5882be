/* The request of an MPI_Rput is never completed.
 *
 * ranks: 2
 * expect: request.never-completed
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Request request;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
    MPI_Rput(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window, &request); /* WRONG */
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Win_unlock(1 - rank, window);
    MPI_Win_free(&window);
}
