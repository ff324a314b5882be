/* MPI_Win_sync is called for a window that nobody has locked.
 *
 * ranks: 2
 * expect: rma.sync
 * allow: error.ignored life.died
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    TWIN(, MPI_Win_lock_all(0, window));
    MPI_Win_sync(window); /* WRONG */
    TWIN(, MPI_Win_unlock_all(window));
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
