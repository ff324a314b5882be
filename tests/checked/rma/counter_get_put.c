/* A shared counter by get and put of all ranks at once, or by MPI_Fetch_and_op.
 *
 * ranks: 3
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    int one = 1, before;
    MPI_Win_lock_all(0, window);
#ifdef RIGHT
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
#else
    MPI_Get(&before, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* WRONG */
    MPI_Win_flush(0, window);
    before += one;
    MPI_Put(&before, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* WRONG */
    MPI_Win_flush(0, window);
#endif
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
