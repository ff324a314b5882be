/* Another target is unlocked than was locked.
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
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Win_unlock(TWIN(0, 1), window); /* WRONG */
#ifndef RIGHT
        MPI_Win_unlock(1, window);
#endif
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
