/* Two origins put to the same element under MPI_Win_lock_all, with nothing between their flushes and puts.
 *
 * ranks: 3
 * expect: rma.conflict
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double *cells, value = rank;
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(double), sizeof(double), MPI_INFO_NULL, WORLD, &cells, &window);
    memset(cells, 0, 8 * sizeof(double));
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Put(&value, 1, MPI_DOUBLE, 0, 3, 1, MPI_DOUBLE, window); /* WRONG */
        MPI_Win_flush(0, window);
    }
#ifdef RIGHT
    MPI_Barrier(WORLD);
#endif
    if (rank == 2) {
        MPI_Put(&value, 1, MPI_DOUBLE, 0, 3, 1, MPI_DOUBLE, window); /* WRONG */
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
