/* The origin buffer of a put is changed before the fence.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, values[4] = {rank};
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window); /* WRONG */
#ifndef RIGHT
        values[1] = 8;
        use(values);
#endif
    }
    MPI_Win_fence(0, window); /* WRONG */
    values[1] = 8;
    use(values);
    MPI_Win_free(&window);
}
