/* Ranks increment an element by get and put often; the right twin takes a mutex of MPI_Compare_and_swap for it each time.
 *
 * ranks: 3
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells, nobody __attribute__((unused)) = 0, me = rank + 1, before = 0, value = 0;
    MPI_Win window;
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    cells[0] = cells[1] = 0;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < 12; i++) {
#ifdef RIGHT
        do {
            MPI_Compare_and_swap(&me, &nobody, &before, MPI_INT, 0, 0, window);
            MPI_Win_flush(0, window);
        } while (before != nobody);
#endif
        MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        value++;
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window); /* WRONG */
        MPI_Win_flush(0, window);
#ifdef RIGHT
        MPI_Accumulate(&nobody, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window);
        MPI_Win_flush(0, window);
#endif
    }
    use(&me);
    use(&before);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
