/* The buffer of a put lies in the window's own memory and is changed before the fence.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    for (int i = 0; i < 8; i++)
        memory[i] = rank;
    MPI_Win_fence(0, window);
    MPI_Put(memory, 4, MPI_INT, 1 - rank, 4, 4, MPI_INT, window); /* WRONG */
#ifndef RIGHT
    memory[1] = 8;
    use(memory);
#endif
    MPI_Win_fence(0, window); /* WRONG */
    memory[1] = 8;
    use(memory);
    MPI_Win_free(&window);
}
