/* The origin buffer of a put is changed before the fence.
 *
 * ranks: 2
 * expect: buffer.send-written
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 50000 };

static void program(void)
{
    int *memory, *values = calloc(COUNT, sizeof *values);
    MPI_Win window;
    MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(values, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, window);
#ifndef RIGHT
        values[9000] = 1; /* WRONG */
#endif
        use(values);
    }
    MPI_Win_fence(0, window);
    values[9000] = 2;
    use(values);
    MPI_Win_free(&window);
    free(values);
}
