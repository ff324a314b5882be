/* The result of MPI_Compare_and_swap is read before the unlock.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * bare: openmpi=ends|crashes mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells, value = 5, wanted = 0, before = -1;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    memset(cells, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Compare_and_swap(&value, &wanted, &before, MPI_INT, 1, 0, window); /* WRONG */
        TWIN(, MPI_Win_flush(1, window));
        int seen = before;
        use(&seen);
        MPI_Win_unlock(1, window); /* WRONG */
    }
    use(&value);
    use(&wanted);
    use(&before);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
