/* Memory that two ranks share is written by one and read by the other, and nothing is between the two.
 * 
 * ranks: 2
 * expect: rma.conflict
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *own, *cells, unit, seen = 0;
    MPI_Win window;
    MPI_Aint bytes;
    MPI_Win_allocate_shared(rank == 0 ? 64 : 0, sizeof(int), MPI_INFO_NULL, WORLD, &own, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &cells);
    MPI_Win_lock_all(0, window);
    if (rank == 0)
        cells[0] = 5; /* WRONG */
#ifdef RIGHT
    MPI_Win_sync(window);
    MPI_Barrier(WORLD);
    MPI_Win_sync(window);
#endif
    if (rank == 1)
        seen = cells[0]; /* WRONG */
    use(&seen);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
