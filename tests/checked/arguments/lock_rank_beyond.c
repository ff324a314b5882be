/* A lock of a target that the window does not have.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, TWIN(5, 1), 0, window); /* WRONG */
        MPI_Win_unlock(TWIN(5, 1), window);
    }
    MPI_Win_free(&window);
}
