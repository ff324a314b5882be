/* MPI_Win_flush_local does not complete a put at its target, where another rank then puts.
 *
 * ranks: 3
 * expect: rma.conflict
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* WRONG */
#ifdef RIGHT
        MPI_Win_flush(0, window);
#else
        MPI_Win_flush_local(0, window);
#endif
        MPI_Send(&value, 1, MPI_INT, 2, 0, WORLD);
    }
    if (rank == 2) {
        int other;
        MPI_Recv(&other, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* WRONG */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
