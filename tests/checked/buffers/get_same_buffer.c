/* Two gets into the same place within one epoch.
 *
 * ranks: 3
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, values[2];
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = rank;
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Get(&values[0], 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
        MPI_Get(&values[TWIN(0, 1)], 1, MPI_INT, 2, 0, 1, MPI_INT, window); /* WRONG */
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
