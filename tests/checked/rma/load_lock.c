/* An element is read by its owner while another rank puts it under a lock, and no message comes between.
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
    MPI_Win_allocate(10 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    for (int i = 0; i < 10; i++)
        cells[i] = i;
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 6, 1, MPI_INT, window); /* WRONG */
        MPI_Win_unlock(1, window);
    }
#ifdef RIGHT
    MPI_Barrier(WORLD);
#endif
    if (rank == 1)
        seen = cells[6];
    use(&seen);
    MPI_Win_free(&window);
}
