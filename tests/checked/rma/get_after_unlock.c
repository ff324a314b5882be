/* A get after the lock was given back.
 *
 * ranks: 2
 * expect: rma.no-epoch
 * bare: openmpi=aborts mpich=aborts
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
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
#ifdef RIGHT
        MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
#else
        MPI_Win_unlock(1, window);
        MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
#endif
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
