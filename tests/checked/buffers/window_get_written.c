/* Where MPI_Get brings something in the rank's own part of the window, the rank stores before the fence.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    for (int i = 0; i < 8; i++)
        memory[i] = rank + i;
    MPI_Win_fence(0, window);
    MPI_Get(memory, 1, MPI_INT, 1 - rank, 4, 1, MPI_INT, window);
    use(memory);
    TWIN(, MPI_Win_fence(0, window));
    memory[0] = 100; /* WRONG */
    use(memory);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
