/* One rank synchronises a window that the other one frees.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
#ifdef RIGHT
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
#else
    if (rank == 0)
        MPI_Win_fence(0, window); /* WRONG */
    else
        MPI_Win_free(&window); /* WRONG */
    if (rank == 0)
        MPI_Win_free(&window);
#endif
}
