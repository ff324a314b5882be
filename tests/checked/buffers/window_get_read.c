/* What MPI_Get brings into the rank's own part of the window is read before the epoch ends.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, sum = 0;
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    for (int i = 0; i < 8; i++)
        memory[i] = rank + i;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    MPI_Get(memory, 1, MPI_INT, 1 - rank, 4, 1, MPI_INT, window);
    use(memory);
    TWIN(, MPI_Win_flush(1 - rank, window));
    sum += memory[0]; /* WRONG */
    use(&sum);
    MPI_Win_unlock_all(window);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
