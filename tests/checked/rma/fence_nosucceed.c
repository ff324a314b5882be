/* A put after a fence that asserts that none follows.
 *
 * ranks: 2
 * expect: rma.no-epoch
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Win_fence(TWIN(MPI_MODE_NOSUCCEED, 0), window);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
