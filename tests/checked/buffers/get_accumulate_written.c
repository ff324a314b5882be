/* What MPI_Get_accumulate adds is zeroed before the unlock.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 500 };

static void program(void)
{
    double *cells, sums[COUNT], before[COUNT] = {0};
    MPI_Win window;
    MPI_Win_allocate(COUNT * sizeof(double), sizeof(double), MPI_INFO_NULL, WORLD, &cells, &window);
    for (int i = 0; i < COUNT; i++)
        cells[i] = sums[i] = 1 + i % 7;
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock_all(0, window);
        MPI_Get_accumulate(sums, COUNT, MPI_DOUBLE, before, COUNT, MPI_DOUBLE, 1, 0, COUNT, MPI_DOUBLE, MPI_SUM, window); /* WRONG */
        TWIN(, MPI_Win_flush_local(1, window));
        memset(sums, 0, sizeof sums);
        MPI_Win_unlock_all(window); /* WRONG */
    }
    use(sums);
    use(before);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
