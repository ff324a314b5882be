/* A put is flushed, and its target reads the element in a loop over steps without having heard of it.
 * 
 * ranks: 2
 * expect: rma.conflict
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double *cells, value = 4, seen = 0;
    MPI_Win window;
    MPI_Win_allocate(5 * sizeof(double), sizeof(double), MPI_INFO_NULL, WORLD, &cells, &window);
    for (int i = 0; i < 5; i++)
        cells[i] = i;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    for (int step = 0; step < 4; step++) {
        if (rank == 0) {
            MPI_Put(&value, 1, MPI_DOUBLE, 1, 3, 1, MPI_DOUBLE, window); /* WRONG */
            MPI_Win_flush(1, window);
        }
#ifdef RIGHT
        MPI_Barrier(WORLD);
        MPI_Win_sync(window);
#endif
        if (rank == 1)
            seen += cells[3]; /* WRONG */
        MPI_Barrier(WORLD);
    }
    use(&seen);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
