/* A lock that is neither shared nor exclusive.
 *
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_lock(TWIN(77, MPI_LOCK_SHARED), 0, 0, window); /* WRONG */
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}
