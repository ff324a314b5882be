/* A target is unlocked that was not locked.
 *
 * ranks: 2
 * expect: rma.epoch-unmatched
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
#ifdef RIGHT
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
#endif
    MPI_Win_unlock(0, window); /* WRONG */
    MPI_Win_free(&window);
}
