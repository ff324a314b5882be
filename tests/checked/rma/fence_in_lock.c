/* A fence while a lock is held.
 *
 * ranks: 2
 * expect: rma.epoch-nested
 * allow: rma.epoch-open
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
#ifdef RIGHT
    MPI_Win_unlock(0, window);
#endif
    MPI_Win_fence(0, window); /* WRONG */
#ifndef RIGHT
    MPI_Win_unlock(0, window);
#endif
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window); /* WRONG */
    MPI_Win_free(&window);
}
