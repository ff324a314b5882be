/* Two puts of one origin to the same place in one epoch.
 *
 * ranks: 2
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    int values[2] = {1, 2};
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(&values[0], 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
        MPI_Put(&values[1], 1, MPI_INT, 1, TWIN(0, 1), 1, MPI_INT, window); /* WRONG */
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
