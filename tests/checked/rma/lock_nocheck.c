/* Two ranks hold exclusive locks of a counter at the same time, each of which says that nobody else wants one.
 *
 * ranks: 3
 * expect: rma.assertion
 * allow: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *counter, old, one;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &counter, &window);
    *counter = 0;
    MPI_Barrier(WORLD);
    for (int turn = 1; turn < 3; turn++) {
        if (rank == turn) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, window); /* WRONG */
            MPI_Get(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
            MPI_Win_flush(0, window);
            one = old + 1;
            work_ms(300);
            MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
            MPI_Win_unlock(0, window);
        }
#ifdef RIGHT
        MPI_Barrier(WORLD);
#endif
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
