/* The result of MPI_Fetch_and_op is set before the unlock.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    long *cells, value = 5, wanted = 0, before = -1;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, WORLD, &cells, &window);
    memset(cells, 0, 4 * sizeof(long));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Fetch_and_op(&value, &before, MPI_LONG, 1, 0, MPI_SUM, window); /* WRONG */
        TWIN(, MPI_Win_flush(1, window));
        before = 0;
        MPI_Win_unlock(1, window); /* WRONG */
    }
    use(&value);
    use(&wanted);
    use(&before);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
