/* The target reads what another rank puts in the same epoch. Its right twin reads the number beside it.
 *
 * ranks: 2
 * expect: rma.conflict
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = 7, seen = 0;
    MPI_Win window;
    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 3 * sizeof(int));
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window); /* WRONG */
    use(memory);
    if (rank == 1)
#ifndef RIGHT
        seen = memory[1]; /* WRONG */
#else
        seen = memory[0];
#endif
    use(&seen);
    MPI_Win_fence(0, window);
    seen += memory[1];
    use(&seen);
    MPI_Win_free(&window);
}
