/* What is accumulated lies in the rank's own part of the window and is zeroed before the unlock.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 2000 };

static void program(void)
{
    double *sums;
    MPI_Win window;
    MPI_Win_allocate(2 * COUNT * sizeof(double), sizeof(double), MPI_INFO_NULL, WORLD, &sums, &window);
    for (int i = 0; i < 2 * COUNT; i++)
        sums[i] = 1 + i % 7;
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Accumulate(sums, COUNT, MPI_DOUBLE, 1, COUNT, COUNT, MPI_DOUBLE, MPI_SUM, window); /* WRONG */
        TWIN(, MPI_Win_flush(1, window));
        memset(sums, 0, COUNT * sizeof(double));
        MPI_Win_unlock(1, window); /* WRONG */
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
