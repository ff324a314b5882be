/* A window is freed between MPI_Win_start and MPI_Win_complete.
 *
 * ranks: 2
 * expect: rma.epoch-open
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
    MPI_Win_start(MPI_GROUP_EMPTY, 0, window); /* WRONG */
#ifdef RIGHT
    MPI_Win_complete(window);
#endif
    MPI_Win_free(&window); /* WRONG */
}
