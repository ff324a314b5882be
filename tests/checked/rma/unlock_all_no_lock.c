/* MPI_Win_unlock_all without MPI_Win_lock_all.
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
    MPI_Win_lock_all(0, window);
#endif
    MPI_Win_unlock_all(window); /* WRONG */
    MPI_Win_free(&window);
}
