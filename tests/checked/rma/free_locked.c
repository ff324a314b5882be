/* A window is freed while a rank holds a lock of it.
 *
 * ranks: 2
 * expect: rma.epoch-open
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window); /* WRONG */
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
#ifdef RIGHT
        MPI_Win_unlock(0, window);
#endif
    }
    MPI_Win_free(&window); /* WRONG */
}
