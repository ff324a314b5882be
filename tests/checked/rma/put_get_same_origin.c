/* A get of what was put in the same epoch.
 *
 * ranks: 2
 * expect: rma.conflict
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
    int back = 0;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
#ifdef RIGHT
        MPI_Win_flush(1, window);
#endif
        MPI_Get(&back, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
        MPI_Win_unlock(1, window);
    }
    use(&back);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
