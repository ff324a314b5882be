/* A rank locks a part of the window that another rank accesses in an epoch of fences.
 *
 * ranks: 3
 * expect: rma.epoch-nested
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
#ifdef RIGHT
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
#endif
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); /* WRONG */
        MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
#ifndef RIGHT
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
#endif
    MPI_Win_free(&window);
}
