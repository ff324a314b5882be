/* A barrier is between a put and the load of its target, and no flush before the barrier.
 * 
 * ranks: 2
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells, value = 42, seen = 0;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    cells[0] = 0;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
#ifdef RIGHT
        MPI_Win_flush(1, window);
#endif
    }
    MPI_Barrier(WORLD);
    MPI_Win_sync(window);
    if (rank == 1)
        seen = cells[0];
    use(&seen);
    MPI_Barrier(WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
