/* The same target is locked twice.
 *
 * ranks: 2
 * expect: rma.epoch-nested
 * allow: rma.epoch-open rma.epoch-unmatched
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
#ifdef RIGHT
        MPI_Win_unlock(1, window);
#endif
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); /* WRONG */
        MPI_Win_unlock(1, window);
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
