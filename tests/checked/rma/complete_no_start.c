/* MPI_Win_complete without MPI_Win_start.
 *
 * ranks: 2
 * expect: rma.epoch-unmatched
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
#ifdef RIGHT
    MPI_Win_start(MPI_GROUP_EMPTY, 0, window);
#endif
    MPI_Win_complete(window); /* WRONG */
    MPI_Win_free(&window);
}
